#pragma once

#include "io/image/formats.hpp"
#include "io/maps_file.hpp"

namespace lsrecon {

/// NAME.cfl and NAME.hdr, whichever of NAME, NAME.cfl and NAME.hdr is given.
std::vector<std::string> cfl_files(const std::string& path);

/// BART's pair of files: complex64, x fastest; frames are its dimension 10, time, and coil maps its
/// dimension 3. The geometry has no place in it.
void write_cfl(const StoredImage& image, const ImageOutput& output, Reporter& report);

/// Whether the .hdr of this name begins as BART's do.
bool recognises_cfl(const std::string& path);

/// x, y and z are BART's dimensions 0 to 2; every index of the others is a frame, labelled with the
/// names of those that vary. InputError when header and values do not fit each other.
StoredImage open_cfl(const std::string& path, const ImageInput& input);

/// Coil maps as 'bart ecalib -m 1' writes them: dimension 3 is the coil, and those beyond it are 1.
/// The field of view is that of `like`. InputError for others, and for a volume where `like` is a
/// plane: nothing says where the slices lie.
StoredMaps read_cfl_maps(const std::string& path, const Grid& like);
/// Bytes of the values.
double bytes_of_cfl(const std::string& path);

} // namespace lsrecon
