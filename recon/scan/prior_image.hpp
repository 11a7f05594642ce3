// A prior image on the grid of the reconstruction, towards which it is regularised.

#pragma once

#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// An image that is known beforehand, such as another contrast of the same object, on the grid of
/// the reconstruction.
struct PriorImage {
    std::string file;
    ComplexVector values; ///< N, x fastest
};

} // namespace lsrecon
