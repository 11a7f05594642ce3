#pragma once

// The one file that includes hdf5.h: what reading, in a child process, and writing share.

#include <hdf5.h>
#include <utility>
#include <vector>

#include "io/hdf5_file.hpp"

namespace lsrecon {

static_assert(sizeof(hid_t) == sizeof(std::int64_t), "Hdf5Handle keeps an hid_t in 64 bits");

/// Failures are reported by us, with the file's name; HDF5 would print its whole stack as well.
inline void silence_hdf5() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Complex numbers as h5py stores them unless it is told other names: compound {r,i}.
inline Hdf5Handle complex_type(hid_t real, const char* r = "r", const char* i = "i") {
    const std::size_t size = H5Tget_size(real);
    Hdf5Handle type(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
    H5Tinsert(type.get(), r, 0, real);
    H5Tinsert(type.get(), i, size, real);
    return type;
}

/// What the parts of a complex number are called in a compound that holds them: "r" and "i", or
/// "real" and "imag" as in ISMRMRD.
std::pair<const char*, const char*> names_of_parts(hid_t type);

/// Of rows in memory that hold `fields`.
Hdf5Handle row_type(const std::vector<Hdf5Field>& fields, std::size_t row_bytes);

/// In a file.
Hdf5Handle element_type(Hdf5Element element);

/// Whether all its numbers fit into floats. Numbers cross to the parent in the file's own
/// precision: converting compounds is most of what HDF5 does.
bool holds_floats(hid_t type);

/// What a type and a space declare.
Hdf5Shape describe(hid_t type, hid_t space);

inline Hdf5Handle text_type(std::size_t size = H5T_VARIABLE) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), size);
    if (size != H5T_VARIABLE) {
        H5Tset_strpad(type.get(), H5T_STR_NULLPAD); // as h5py's
    }
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

inline Hdf5Handle simple_space(const std::vector<std::size_t>& extents) {
    if (extents.empty()) {
        return Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose);
    }
    const std::vector<hsize_t> sizes(extents.begin(), extents.end());
    return Hdf5Handle(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                      H5Sclose);
}

} // namespace lsrecon
