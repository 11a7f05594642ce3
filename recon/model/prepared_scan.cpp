// Runs the steps of preparation, and takes maps, field and prior image of each slice from what they
// made.

#include "model/prepared_scan.hpp"

namespace lsrecon {

PreparedScan::PreparedScan(FrameSource& source, PrepareOptions options, Transforms& transforms,
                           Reporter& report)
    : preparation_(source, std::move(options), transforms.on_processors(), report) {
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
    const SliceMaps maps = preparation_.maps->of(slice, transforms.on_processors());
    Model model{maps.values, maps.scale,
                preparation_.field ? preparation_.field->of(slice)
                                   : preparation_.scan.off_resonance,
                nullptr};
    if (preparation_.options.field_map.is_refined) {
        refine(slice, model, transforms);
    }
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

/// A field that is corrected by the first good frame of the slice, where that shows it.
void PreparedScan::refine(const Slice& slice, Model& model, Transforms& transforms) {
    const std::optional<std::size_t> first = first_good_of(slice);
    const std::size_t maps = model.coil_maps->columns();
    if (!first || (maps > 0 && maps != scan().grid.voxels())) { // of two sets
        return;
    }
    const Stage stage(preparation_.report, "field map");
    const SliceRefinement found = look_at(
        *first, [&](const Frame& frame) { return refine_field(transforms, scan(), model, frame); });
    preparation_.refined.add(found);
    if (found.is_clear()) {
        OffResonance corrected = *model.off_resonance;
        corrected.field += found.correction;
        model.off_resonance = std::make_shared<const OffResonance>(std::move(corrected));
    }
}

} // namespace lsrecon
