#include "prepare/scan_field.hpp"

#include "io/field_file.hpp"

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

ScanField::ScanField(const std::string& file, Scan& scan, const Grid& file_grid, std::size_t frame,
                     bool shifted, double factor)
    : scan_(scan), factor_(factor) {
    const StoredField stored = read_field(file, file_grid);
    volumes_.emplace(rows_of(stored.off_resonance), stored.grid, scan,
                     with_smaller_field(scan.grid, file_grid),
                     Resampled{file, "field map",
                               "name a field map of this scan, choose a smaller image with "
                               "--fov-mm, or pass --field-map none",
                               shifted});
    move_to(frame);
    scan.remarks.push_back("field map of " + file + ", SHA-256 " + stored.sha256 +
                           (differ() ? ", at the place of each slice" : ""));
}

void ScanField::move_to(std::size_t frame) {
    scan_.off_resonance = std::make_shared<const OffResonance>(
        off_resonance_of(volumes_->take(frame)).scaled(factor_));
    place_ = volumes_->place_of(frame);
}

} // namespace lsrecon
