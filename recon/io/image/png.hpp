#pragma once

#include <string>

#include "io/preview.hpp"

namespace lsrecon {

/// NotBuiltError when this build writes no pictures: asked before the work that they show.
void require_png();

/// The preview (io/preview.hpp) as an 8-bit grey PNG.
void write_png(const std::string& path, const Image& image, const FrameValues& values,
               const GreyScale& grey = {});

/// A picture as the bytes of an 8-bit grey PNG. Error when the library refuses it.
std::string png_bytes(const Picture& picture);

} // namespace lsrecon
