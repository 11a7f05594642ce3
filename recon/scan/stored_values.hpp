// Volumes as they were read from a file beside a scan, with their grid and hash.

#pragma once

#include <string>

#include "base/coil_rows.hpp"
#include "scan/grid.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Volumes from a file beside a scan, and where they lie: coil maps, a field map with the decay, or
/// a prior image.
struct StoredVolumes {
    Grid grid;
    CoilRows values; ///< V x N
    std::string sha256 = {}; ///< hash of the file that they were read from
    std::string scan_sha256 = {}; ///< hash of the scan that coil maps belong to, "" where unknown
    /// Whether that scan was shifted to the header's position: "yes", "no", or "" where unknown.
    std::string header_shift = {};
    double without_value = 0; ///< share of the voxels that had none and took a neighbour's
};

/// Voxels whose value is NaN, as maps have it outside the object, take that of the nearest voxel
/// along the axes that has one. Returns their share; NaN alone stays.
double fill_missing(const Grid& grid, CoilRows& values);

} // namespace lsrecon
