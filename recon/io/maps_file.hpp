// Coil maps in a file of their own, written by the command maps and opened as an image.

#pragma once

#include <string>

#include "io/image/stored.hpp"
#include "scan/grid.hpp"
#include "scan/stored_values.hpp"

namespace lsrecon {

class Hdf5Reader;

/// Writes /coil_maps [C, (Z,) Y, X] complex64 with matrix, field of view and geometry as a scan
/// file has them, and the record of how they were made. Written beside and renamed into place.
void write_maps(const std::string& path, const StoredVolumes& maps, const Record& record);

/// Whether an HDF5 file has maps and is no image and no scan. Opened as an image, each coil is a
/// frame.
bool holds_maps_alone(const Hdf5Reader& file);
StoredImage open_maps_as_image(const std::string& path);

} // namespace lsrecon
