#include "model/scan_field.hpp"

namespace lsrecon {

namespace {

/// 1 x N, or 2 x N with R2*.
CoilRows rows_of(const OffResonance& off) {
    const bool decays = off.r2star.size() > 0;
    CoilMatrix rows(decays ? 2 : 1, off.field.size());
    rows.row(0) = off.field.transpose().cast<Complex>();
    if (decays) {
        rows.row(1) = off.r2star.transpose().cast<Complex>();
    }
    return CoilRows(std::move(rows));
}

OffResonance off_resonance_of(const CoilRows& values) {
    const CoilMatrix rows = values.to_doubles();
    return {rows.row(0).real().transpose(),
            rows.rows() > 1 ? RealVector(rows.row(1).real().transpose()) : RealVector()};
}

} // namespace

ScanField::ScanField(const std::string& file, StoredField stored, const Scan& scan,
                     const std::vector<Place>& places, const Grid& file_grid, bool shifted,
                     double factor)
    : volumes_(rows_of(stored.off_resonance), stored.grid, scan, places,
               with_smaller_field(scan.grid, file_grid),
               Resampled{file, "field map",
                         "name a field map of this scan, choose a smaller image with `fov_mm`, or "
                         "pass `field_map` none",
                         shifted}),
      factor_(factor) {
    if (!differ()) {
        only_ = of(places.front());
    }
}

std::shared_ptr<const OffResonance> ScanField::of(const Place& place) {
    return only_ ? only_
                 : std::make_shared<const OffResonance>(
                       off_resonance_of(volumes_.take(place)).scaled(factor_));
}

} // namespace lsrecon
