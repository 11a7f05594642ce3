#pragma once

#include <string>

#include "scan/image.hpp"

namespace lsrecon {

/// NotBuiltError when this build writes no previews: asked before the work that they show.
void require_png();

/// The preview (io/preview.hpp) as an 8-bit grey PNG.
void write_png(const std::string& path, const Image& image);

} // namespace lsrecon
