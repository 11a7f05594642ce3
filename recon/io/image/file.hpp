#pragma once

#include <string>

#include "io/hdf5/reader.hpp"
#include "io/image/file_values.hpp"
#include "scan/image.hpp"

namespace lsrecon {

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

} // namespace lsrecon
