// BART's pair of files .cfl and .hdr, read and written as images and read as arrays.

#pragma once

#include "io/arrays.hpp"
#include "io/image/formats.hpp"

namespace lsrecon {

/// NAME.cfl and NAME.hdr, whichever of NAME, NAME.cfl and NAME.hdr is given.
std::vector<std::string> cfl_files(const std::string& path);

/// BART's pair of files: complex64, x fastest; frames are its dimension 10, time, and coil maps its
/// dimension 3. It cannot hold the geometry.
void write_cfl(const StoredImage& image, const ImageOutput& output, Reporter& report);

/// Whether the .hdr of this name begins as BART's do.
bool recognises_cfl(const std::string& path);

/// x, y and z are BART's dimensions 0 to 2; every index of the others is a frame, labelled with the
/// names of those that vary. InputError when header and values do not fit each other.
StoredImage open_cfl(const std::string& path, const ImageInput& input);

/// The array of the pair, [..., coil, z, y, x]: at least these four dimensions, and of the others
/// those up to the last that varies.
StoredArray open_cfl_array(const std::string& path);

} // namespace lsrecon
