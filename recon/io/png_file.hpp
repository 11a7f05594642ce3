#pragma once

#include <string>

#include "scan/image.hpp"

namespace lsrecon {

/// NotBuiltError when this build writes no previews: asked before the work that they show.
void require_png();

/// Magnitude as an 8-bit grey PNG, from 0 to the 99.5th percentile, enlarged by whole steps to be
/// readable. Slices and frames are laid out as a mosaic, row by row.
void write_png(const std::string& path, const Image& image);

} // namespace lsrecon
