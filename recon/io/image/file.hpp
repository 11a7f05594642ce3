// The image file of lsrecon, written by file.cpp and read by reader.cpp.

#pragma once

#include <memory>
#include <string>

#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "io/image/stored.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The attribute of /image that says how many coils have images of their own in it.
constexpr const char* coils_attribute = "coils";

/// Writes /image [F, (Z,) Y, X] complex64 ([F, N] off the grid) with named dimensions, geometry,
/// the solver's history and the record of how it was made; docs/image.md. Written beside and
/// renamed into place. DeviceError when a value is not finite or all are zero: no such image is
/// written.
void write_image(const std::string& path, const Image& image);

/// Writes an image whose values come a frame at a time. The caller has called require_an_image.
void write_image(const std::string& path, const Image& image, std::size_t voxels,
                 const FrameValues& values);

/// The record as record_of() finds it in the file of an image, every value in words.
Record record_in_words(const Image& image);

/// Writes F^H d as /fhd [F,] [C,] (Z,) Y, X: leading dimensions only where there is more than one.
/// `values` of a frame are `coils` volumes of so many voxels, complex numbers of this precision.
/// The rules of write_image hold.
void write_fhd(const std::string& path, const Image& about, std::size_t coils, std::size_t voxels,
               Precision precision, const PartValues& values);

/// Reads the volumes of an image file for comparison. InputError when it is not an image file.
struct ImageData {
    std::vector<std::size_t> extents; ///< extents as stored
    std::vector<Complex> values;
    /// Residuals of the first frame's first problem; empty when not stored.
    std::vector<double> residuals;
};
ImageData read_image(const std::string& path);

/// The declaration of /image in an image file. InputError when it is not an image file.
Hdf5Shape image_shape(const Hdf5Reader& file);

/// Opens an image file (docs/image.md) with its geometry, frames, residuals and record; values
/// are read a frame at a time. Those of off-grid voxels are put on their grid. `dataset`
/// "noise_map" or "g_factor" is that map of the image's first frame, a real number a voxel.
/// InputError when it is no image on a grid, lacks the map, or says of itself what does not fit.
StoredImage open_image_file(const std::string& path, const std::string& dataset = "image");
StoredImage open_image_file(const std::shared_ptr<const Hdf5Reader>& file,
                            const std::string& dataset = "image");

/// Opens F^H d, as write_fhd() writes it, on a grid: each coil of each frame is a frame. InputError
/// of listed voxels.
StoredImage open_fhd_file(const std::shared_ptr<const Hdf5Reader>& file);

/// The frames as an image file describes them; of images off the grid, too.
std::vector<ImageFrame> frames_of_image(const Hdf5Reader& file);

/// The record of how the file was made, every value in words; empty where there is none.
Record record_of(const Hdf5Reader& file);

/// Why frames failed, one text a frame, "" for those that did not; empty when none did.
std::vector<std::string> frame_errors(const Hdf5Reader& file);

} // namespace lsrecon
