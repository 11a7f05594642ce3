#pragma once

#include <array>
#include <optional>

#include "base/coil_rows.hpp"

namespace lsrecon {

struct Scan;

/// A look at the coil maps that an image was made with: a slice of the first coils, thinned out to
/// what any file has room for.
struct MapPreviews {
    static constexpr std::size_t most_coils = 32;
    static constexpr std::size_t most_voxels = 64; ///< of a side

    CoilRows values = {}; ///< coils x X Y, x fastest, in single precision; empty for none
    std::array<std::size_t, 2> size{}; ///< X, Y
    std::size_t step = 1; ///< voxels of the image's grid between two of these, which begin at 0
    std::size_t coils = 0; ///< that the maps are of
    std::optional<std::size_t> slice = {}; ///< z, in three dimensions
    std::optional<std::size_t> frame = {}; ///< whose place has these maps, where places differ
};

/// Of the middle slice of the scan's maps: every step-th voxel. None of a scan without maps, or off
/// the grid, and none of values that floats do not hold, or of zeros alone.
MapPreviews previews_of_maps(const Scan& scan, std::optional<std::size_t> frame);

} // namespace lsrecon
