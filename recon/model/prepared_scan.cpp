// Runs the steps of preparation, and takes maps, field and prior image of each slice from what they
// made.

#include "model/prepared_scan.hpp"

namespace lsrecon {

PreparedScan::PreparedScan(FrameSource& source, PrepareOptions options, Transforms& transforms,
                           Reporter& report)
    : preparation_(source, std::move(options), transforms, report) {
    const std::size_t known_facts = preparation_.scan.facts.size();
    for (const Step& step : steps()) {
        if (step.applies(preparation_)) {
            step.apply(preparation_);
        }
    }
    for (std::size_t i = known_facts; i < preparation_.scan.facts.size(); ++i) {
        report.info(preparation_.scan.facts[i]);
    }
}

Model PreparedScan::model_of(const Slice& slice, Transforms& transforms) {
    const SliceMaps maps = preparation_.maps->of(slice, transforms);
    Model model{maps.values, maps.scale,
                preparation_.field ? preparation_.field->of(slice)
                                   : preparation_.scan.off_resonance,
                nullptr};
    if (preparation_.prior) {
        model.prior = preparation_.prior->of(slice);
        if (model.maps_scale != 1) {
            PriorImage scaled = *model.prior;
            scaled.values *= model.maps_scale;
            model.prior = std::make_shared<const PriorImage>(std::move(scaled));
        }
    }
    return model;
}

} // namespace lsrecon
