#pragma once

#include <string>

#include "io/stored_image.hpp"

namespace lsrecon {

/// Opens an image file (docs/formats.md) with its geometry, frames, residuals and record; values
/// are read a frame at a time. InputError when it is no image on a grid, or says of itself what
/// does not fit.
StoredImage open_image_file(const std::string& path);

} // namespace lsrecon
