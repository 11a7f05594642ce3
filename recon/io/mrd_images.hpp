#pragma once

#include "io/image_formats.hpp"

namespace lsrecon {

/// ISMRMRD images in HDF5, as libismrmrd lays them out: /dataset/image_0 with header [F],
/// attributes [F] and data [F, 1, z, y, x], a frame each, with the counters of its label.
void write_mrd_images(const StoredImage& image, const ImageOutput& output, Reporter& report);

} // namespace lsrecon
