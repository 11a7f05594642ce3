#pragma once

#include <optional>
#include <string>

#include "prepare/placed_volumes.hpp"

namespace lsrecon {

/// The field map of a file, as that of a scan: of slices each has its own, one at a time
/// (scan/place.hpp).
class ScanField {
public:
    /// Sets the scan's field map to that of the frame's place, times `factor`, and adds a remark.
    /// `file_grid` is that of the scan's file; the scan must outlive it. InputError as of
    /// read_field and PlacedVolumes.
    ScanField(const std::string& file, Scan& scan, const Grid& file_grid, std::size_t frame,
              bool shifted, double factor);

    /// Whether places have field maps of their own.
    bool differ() const { return volumes_->differ(); }
    bool is_of(std::size_t frame) const { return volumes_->place_of(frame) == place_; }
    /// Sets the scan's field map to that of the frame's place.
    void move_to(std::size_t frame);

private:
    Scan& scan_;
    double factor_;
    std::optional<PlacedVolumes> volumes_; ///< the field, and R2* where there is one
    std::size_t place_ = 0; ///< whose map the scan has
};

} // namespace lsrecon
