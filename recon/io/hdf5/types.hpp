// Handles and types of HDF5.

#pragma once

// The one file that includes hdf5.h: what reading, in a child process, and writing share.

#include <hdf5.h>
#include <utility>
#include <vector>

#include "io/hdf5/object.hpp"

namespace lsrecon {

/// A file, dataset, attribute, type or space of HDF5 that closes itself; below 0 where HDF5 failed.
class Hdf5Handle {
public:
    Hdf5Handle() = default;
    explicit Hdf5Handle(hid_t id) : id_(id) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;
    ~Hdf5Handle() {
        if (id_ >= 0) {
            H5Idec_ref(id_);
        }
    }
    operator hid_t() const { return id_; }
    explicit operator bool() const = delete;

private:
    hid_t id_ = -1;
};

/// Failures are reported by us, with the file's name; HDF5 would print its whole stack as well.
inline void silence_hdf5() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// Complex numbers as h5py stores them unless it gets other names: compound {r,i}.
Hdf5Handle complex_type(hid_t real, const char* r = "r", const char* i = "i");

/// Text of `size` bytes, or of as many as each text has.
Hdf5Handle text_type(std::size_t size = H5T_VARIABLE);

/// The type of rows in memory that hold `fields`. A list is an Hdf5List.
Hdf5Handle row_type(const std::vector<Hdf5Field>& fields, std::size_t row_bytes);

Hdf5Handle simple_space(const std::vector<std::size_t>& extents);

/// The type in which numbers are read: floats where they hold all values, doubles, complex numbers
/// of them. Converting compounds is most of what HDF5 does.
Hdf5Handle type_as_read(hid_t type, const Hdf5Shape& shape);

/// The declaration that a type and a space make.
Hdf5Shape describe(hid_t type, hid_t space);

} // namespace lsrecon
