// Volumes of a file that are resampled to the slices of a scan.

#pragma once

#include <vector>

#include "model/resampled.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

/// Volumes of a file, such as a field map, on the grid of a scan's image: at each of its slices.
class SliceVolumes {
public:
    /// `volumes` C x N lie on `grid`, and are to hold the field of view of `needed`. InputError
    /// when they do not (require_same_field), have fewer dimensions than the scan, or when a scan
    /// of several slices meets volumes that serve one: of one plane, or of an unknown pose.
    SliceVolumes(CoilRows volumes, const Grid& grid, const Scan& scan,
                 const std::vector<Slice>& slices, const Grid& needed, const Resampled& of);

    /// Whether each slice has volumes of its own.
    bool differ() const { return grids_.size() > 1; }
    /// The volumes of a slice, C x N of the scan's grid; those of a scan of one slice are given
    /// away. InputError as of resampled().
    CoilRows take(const Slice& slice);

private:
    void require_own_poses(const Scan& scan) const;

    CoilRows volumes_;
    Grid grid_;
    Resampled of_;
    std::vector<Grid> grids_; ///< grid of the image at each slice
};

} // namespace lsrecon
