#pragma once

#include <memory>
#include <string>

#include "io/hdf5/reader.hpp"
#include "io/image/stored.hpp"

namespace lsrecon {

/// Opens an image file (docs/image.md) with its geometry, frames, residuals and record; values
/// are read a frame at a time. Those of listed voxels are on their grid. `dataset` "noise_map" or
/// "g_factor" is that map of the image's first frame, a real number a voxel. InputError when it is
/// no image on a grid, lacks the map, or says of itself what does not fit.
StoredImage open_image_file(const std::string& path, const std::string& dataset = "image");
StoredImage open_image_file(const std::shared_ptr<const Hdf5Reader>& file,
                            const std::string& dataset = "image");

/// The frames as an image file describes them; of images off the grid, too.
std::vector<ImageFrame> frames_of_image(const Hdf5Reader& file);

/// The record of how the file was made, every value in words; empty where there is none.
Record record_of(const Hdf5Reader& file);

/// Why frames failed, one text a frame, "" for those that did not; empty when none did.
std::vector<std::string> frame_errors(const Hdf5Reader& file);

} // namespace lsrecon
