#pragma once

#include <string>

#include "base/coil_rows.hpp"
#include "scan/grid.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Coil maps and where they are.
struct StoredMaps {
    Grid grid;
    CoilRows maps; ///< C x N
    std::string sha256 = {}; ///< hash of the file that they were read from
    std::string scan_sha256 = {}; ///< hash of the scan that they belong to, "" where unknown
    /// Whether that scan was shifted to the header's position: "yes", "no", or "" where unknown.
    std::string header_shift = {};
};

/// A field map and where it is.
struct StoredField {
    Grid grid;
    OffResonance off_resonance;
    std::string sha256 = {}; ///< hash of the file
};

/// An image that is known beforehand, and where it is.
struct StoredPrior {
    Grid grid;
    CoilRows values; ///< 1 x N
};

} // namespace lsrecon
