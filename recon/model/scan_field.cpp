// Resamples a field map with its decay to each slice, and scales it by the factor of the options.

#include "model/scan_field.hpp"

#include "model/steps.hpp"
#include "scan/findings.hpp"
#include "scan/wrapped_field.hpp"

namespace lsrecon {

OffResonance off_resonance_in(const CoilRows& values) {
    const CoilMatrix rows = values.to_doubles();
    return {rows.row(0).real().transpose(),
            rows.rows() > 1 ? RealVector(rows.row(1).real().transpose()) : RealVector()};
}

ScanField::ScanField(const std::string& file, StoredVolumes stored, const Scan& scan,
                     const std::vector<Slice>& slices, const Grid& file_grid, bool shifted,
                     double factor)
    : volumes_(std::move(stored.values), stored.grid, scan, slices,
               with_smaller_field(scan.grid, file_grid),
               Resampled{file, "field map",
                         "name a field map of this scan, choose a smaller image with `fov_mm`, or "
                         "pass `field_map` none",
                         shifted}),
      factor_(factor) {
    if (!differ()) {
        only_ = of(slices.front());
    }
}

std::shared_ptr<const OffResonance> ScanField::of(const Slice& slice) {
    return only_ ? only_
                 : std::make_shared<const OffResonance>(
                       off_resonance_in(volumes_.take(slice)).scaled(factor_));
}

namespace {

void require_refinable(const std::string& wanted, bool has_field, const Scan& scan) {
    if (!has_field) {
        throw UsageError("`field_map` " + wanted +
                         ": the scan has no field map\n  next:     name one with `field_map` "
                         "refine:FILE, or refine:auto for a scan with echoes");
    }
    if (scan.voxels) {
        throw UsageError("`field_map` " + wanted +
                         ": the scan has /voxels, and a map is refined on a grid only\n"
                         "  next:     leave it out");
    }
}

} // namespace

void take_field(ScanInPreparation& preparation) {
    PrepareOptions& options = preparation.options;
    Scan& scan = preparation.scan;
    const std::string wanted = word_of(options.field_map);
    const double factor = options.field_scale;
    if (is_none(options.field_map) && scan.off_resonance) {
        scan.off_resonance.reset();
        scan.facts.push_back("the field map of the scan is not used: `field_map` none");
    }
    const bool is_own = is_default(options.field_map) && scan.off_resonance;
    const bool is_beside = !file_of(options.field_map).empty() || is_of_echoes(options.field_map);
    if (is_own && scan.off_resonance->is_zero()) {
        scan.findings.push_back({Found::field_map_zero});
    }
    if (options.field_map.is_refined) {
        require_refinable(wanted, is_own || is_beside, scan);
    }
    if (!is_own && !is_beside && factor != 1) {
        throw UsageError(text("`field_scale` ", factor,
                              ": the reconstruction has no field map\n  next:     leave it out, or "
                              "name a map with `field_map`"));
    }
    if (is_own) {
        scan.off_resonance =
            std::make_shared<const OffResonance>(scan.off_resonance->scaled(factor));
    }
    if (!is_beside) {
        return;
    }
    if (scan.voxels) {
        throw UsageError("`field_map` " + wanted +
                         ": the scan has /voxels, and a map is resampled for a grid only\n"
                         "  next:     store /field_map at the voxels");
    }
    if (!options.stored_field) {
        throw UsageError("`field_map` " + wanted + ": the values of that map are missing");
    }
    const std::string sha256 = options.stored_field->sha256;
    if (options.stored_field->without_value > 0) {
        scan.findings.push_back(
            {Found::field_map_filled, {{"share", options.stored_field->without_value}}});
    }
    if (const auto wrapped = wrapped_field(off_resonance_in(options.stored_field->values).field,
                                           options.stored_field->grid)) {
        scan.findings.push_back(*wrapped);
    }
    preparation.field.emplace(wanted, std::move(*options.stored_field), scan, preparation.slices,
                              preparation.file_grid, options.geometry.shifts(), factor);
    scan.facts.push_back(
        (sha256.empty() ? "field map of the scan's echoes"
                        : "field map of " + file_of(options.field_map) + ", SHA-256 " + sha256) +
        (preparation.field->differ() ? ", resampled to each slice" : ""));
    scan.off_resonance = preparation.field->of(
        preparation.slices[slice_of_frames(preparation.slices)[preparation.frames.first_good()]]);
    find_idle_field(scan, scan.findings);
}

} // namespace lsrecon
