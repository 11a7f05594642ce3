#pragma once

#include <string>

#include "scan/image.hpp"

namespace lsrecon {

/// Writes /image [F, (Z,) Y, X] complex64 ([F, N] off the grid) with named dimensions, geometry,
/// the solver's history and the record of how it was made; docs/formats.md. Written beside and
/// renamed into place. DeviceError when a value is not finite or all are zero: no such image ends
/// on disk.
void write_image(const std::string& path, const Image& image);

/// Writes F^H d, one volume a row of every frame, as /fhd [F,] [C,] (Z,) Y, X: leading dimensions
/// only where there is more than one. The same rules hold.
void write_fhd(const std::string& path, const Image& about, const std::vector<CoilMatrix>& frames);

/// Reads the volumes of an image file for comparison. InputError when it is none.
struct ImageData {
    std::vector<std::size_t> extents; ///< as stored
    std::vector<Complex> values;
    std::vector<double> residuals; ///< of the first frame's first problem; empty when not stored
};
ImageData read_image(const std::string& path);

} // namespace lsrecon
