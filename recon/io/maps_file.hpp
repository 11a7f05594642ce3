#pragma once

#include <string>

#include "io/image/stored.hpp"
#include "scan/grid.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

class Hdf5Reader;

/// Writes /coil_maps [C, (Z,) Y, X] complex64 with matrix, field of view and geometry as a scan
/// file has them, and the record of how they were made. Written beside and renamed into place.
void write_maps(const std::string& path, const StoredMaps& maps, const Record& record);

/// Reads any HDF5 file with /coil_maps [C, (Z,) Y, X], one that write_maps wrote or a scan, and
/// BART's pair of files (io/image/cfl.hpp). A file without the attribute fov_mm has the field of
/// view of `like`. InputError when the maps are not finite, all zero, or of another number of
/// dimensions than `like`.
StoredMaps read_maps(const std::string& path, const Grid& like);

/// Whether an HDF5 file has maps and is no image and no scan. Opened as an image, each coil is a
/// frame.
bool holds_maps_alone(const Hdf5Reader& file);
StoredImage open_maps_as_image(const std::string& path);

/// Bytes of the values of the maps.
double bytes_of_maps(const std::string& path);

} // namespace lsrecon
