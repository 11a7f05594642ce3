#pragma once

#include <string>

#include "scan/stored_values.hpp"

namespace lsrecon {

/// Reads an HDF5 file with /field_map [(Z,) Y, X] in Hz, and /r2star in 1/s where it has that: a
/// scan, or one of these alone. A file without the attributes matrix and fov_mm has the field of
/// view of `like`. Real images in NIfTI-1 or ISMRMRD are read as Hz. InputError when the map is not
/// finite, or of too few dimensions for a grid like `like`: a volume serves slices, too.
StoredField read_field(const std::string& path, const Grid& like);

} // namespace lsrecon
