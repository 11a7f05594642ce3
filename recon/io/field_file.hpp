#pragma once

#include <string>

#include "scan/grid.hpp"
#include "scan/off_resonance.hpp"

namespace lsrecon {

/// A field map and where it is.
struct StoredField {
    Grid grid;
    OffResonance off_resonance;
    std::string sha256; ///< of the file
};

/// Of any HDF5 file with /field_map [(Z,) Y, X] in Hz, and /r2star in 1/s where it has that: a
/// scan, or one of these alone. A file without the attributes matrix and fov_mm has the field of
/// view of `like`. InputError when the map is not finite or of another number of dimensions than
/// `like`.
StoredField read_field(const std::string& path, const Grid& like);

} // namespace lsrecon
