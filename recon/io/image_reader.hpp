#pragma once

#include <memory>
#include <string>

#include "io/hdf5_file.hpp"
#include "io/stored_image.hpp"

namespace lsrecon {

/// Opens an image file (docs/formats.md) with its geometry, frames, residuals and record; values
/// are read a frame at a time. InputError when it is no image on a grid, or says of itself what
/// does not fit.
StoredImage open_image_file(const std::string& path);
StoredImage open_image_file(const std::shared_ptr<const Hdf5Reader>& file);

} // namespace lsrecon
