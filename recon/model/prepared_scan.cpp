// Runs the steps of preparation, and takes maps, field and prior image of each slice from what they
// made.

#include "model/prepared_scan.hpp"

namespace lsrecon {

PreparedScan::PreparedScan(FrameSource& source, PrepareOptions options, Transforms& transforms,
                           Reporter& report)
    : it_(source, std::move(options), transforms, report) {
    const std::size_t known_facts = it_.scan.facts.size();
    for (const Step& step : steps()) {
        if (step.applies(it_)) {
            step.apply(it_);
        }
    }
    for (std::size_t i = known_facts; i < it_.scan.facts.size(); ++i) {
        report.tell(it_.scan.facts[i]);
    }
}

Model PreparedScan::model_of(const Slice& slice, Transforms& transforms) {
    const SliceMaps maps = it_.maps->of(slice, transforms);
    Model model{maps.values, maps.scale, it_.field ? it_.field->of(slice) : it_.scan.off_resonance,
                nullptr};
    if (it_.prior) {
        model.prior = it_.prior->of(slice);
        if (model.maps_scale != 1) {
            PriorImage scaled = *model.prior;
            scaled.values *= model.maps_scale;
            model.prior = std::make_shared<const PriorImage>(std::move(scaled));
        }
    }
    return model;
}

} // namespace lsrecon
