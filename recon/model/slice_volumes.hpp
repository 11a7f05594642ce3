// Volumes of a file, such as a prior image, that are resampled to the slices of a scan.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/resampled.hpp"
#include "scan/prior_image.hpp"
#include "scan/slice.hpp"
#include "scan/stored_values.hpp"

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

/// A prior image on the grid of a scan: of a volume each slice has its own.
class ScanPrior {
public:
    /// `shifted`: by --shift-mm. InputError when the image does not belong to the scan
    /// (SliceVolumes).
    ScanPrior(const std::string& file, StoredVolumes stored, const Scan& scan,
              const std::vector<Slice>& slices, bool shifted);

    /// InputError when it is only zeros where the image of the slice is.
    std::shared_ptr<const PriorImage> of(const Slice& slice);

private:
    std::string file_;
    SliceVolumes volumes_;
    std::shared_ptr<const PriorImage> only_; ///< prior image of a scan of one slice
};

} // namespace lsrecon
