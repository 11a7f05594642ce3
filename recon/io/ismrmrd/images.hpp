#pragma once

#include "io/image/formats.hpp"

namespace lsrecon {

/// ISMRMRD images in HDF5, as libismrmrd lays them out: /dataset/image_0 with header [F],
/// attributes [F] and data [F, 1, z, y, x], a frame each, with the counters of its label.
void write_mrd_images(const StoredImage& image, const ImageOutput& output, Reporter& report);

/// Whether an HDF5 file holds images in this layout, of any program, and no image or maps of
/// lsrecon: raw data may have both. InputError when it cannot be opened.
bool holds_mrd_images(const std::string& path);

/// Opens the images, one as each frame, with the label that write_mrd_images gave it or the
/// counters that vary. InputError for several series, channels or orientations.
StoredImage open_mrd_images(const std::string& path, const ImageInput& input);

} // namespace lsrecon
