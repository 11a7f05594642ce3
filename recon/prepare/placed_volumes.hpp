#pragma once

#include <vector>

#include "prepare/resampled.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Volumes of a file, such as a field map, on the grid of a scan's image: at the place of each
/// frame (scan/place.hpp), when that is asked for.
class PlacedVolumes {
public:
    /// `volumes` C x N lie on `grid`, and are to hold the field of view of `needed`. InputError
    /// when they do not (require_same_field), have fewer dimensions than the scan, or when a scan
    /// of several places meets volumes that serve one: of one plane, or of an unknown place.
    PlacedVolumes(CoilRows volumes, const Grid& grid, const Scan& scan, const Grid& needed,
                  const Resampled& of);

    /// Whether each place has its own.
    bool differ() const { return grids_.size() > 1; }
    std::size_t place_of(std::size_t frame) const { return place_of_[frame]; }
    /// At the place of a frame, C x N of the scan's grid; of a scan of one place they are given
    /// away. InputError as of resampled().
    CoilRows take(std::size_t frame);

private:
    void require_own_places(const Scan& scan) const;

    CoilRows volumes_;
    Grid grid_;
    Resampled of_;
    std::vector<std::size_t> place_of_; ///< of each frame
    std::vector<Grid> grids_; ///< of the image at each place
};

} // namespace lsrecon
