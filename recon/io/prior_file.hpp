#pragma once

#include <string>

#include "base/coil_rows.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// An image that is known beforehand, and where it is.
struct StoredPrior {
    Grid grid;
    CoilRows values; ///< 1 x N
    std::string sha256; ///< of its file; of a pair, of the hashes of both
};

/// Of an image in any format that is read (docs/formats.md). InputError when it is none, has
/// several frames, zeros alone or values that are not finite.
StoredPrior read_prior(const std::string& path);

} // namespace lsrecon
