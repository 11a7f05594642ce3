#pragma once

#include <string>

#include "io/preview.hpp"

namespace lsrecon {

/// NotBuiltError when this build writes no pictures: asked before the work that they show.
void require_png();

/// The preview (io/preview.hpp) as an 8-bit grey PNG.
void write_png(const std::string& path, const Image& image, const FrameValues& values,
               const GreyScale& grey = {});

} // namespace lsrecon
