#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace lsrecon {

/// An HDF5 file, dataset, attribute or type handle that closes itself. Id is hid_t.
class Hdf5Handle {
public:
    using Closer = int (*)(std::int64_t);
    Hdf5Handle() = default;
    Hdf5Handle(std::int64_t id, Closer close) : id_(id), close_(close) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) {
        other.id_ = -1;
    }
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;
    ~Hdf5Handle() {
        if (id_ >= 0) {
            close_(id_);
        }
    }
    std::int64_t get() const { return id_; }

private:
    std::int64_t id_ = -1;
    Closer close_ = nullptr;
};

enum class Hdf5Kind { integer, real, complex, string, other };

/// What a dataset declares, before it is read.
struct Hdf5Shape {
    Hdf5Kind kind = Hdf5Kind::other;
    std::string type_name; ///< for messages: "float32", "complex {r,i} of float32", ...
    std::vector<std::size_t> extents; ///< empty for a single value
    bool null = false; ///< no value at all, as h5py.Empty writes it

    std::size_t elements() const;
    std::string to_string() const; ///< "float32 [4, 4010]", "one int64"
};

/// "[4, 4010]"
std::string shown(const std::vector<std::size_t>& extents);

/// What messages call an object and its attribute: "/samples", attribute "units" of /trajectory.
std::string full_name(const std::string& object);
std::string attribute_name(const std::string& object, const std::string& name);

/// What a message says of an attribute that is missing or of the wrong type; "" for general words.
struct Hdf5Wanted {
    std::string expected;
    std::string next_step;
};

/// An HDF5 file that is only read. Every failure is an InputError that names file and dataset.
class Hdf5Reader {
public:
    /// InputError when the file is missing, not HDF5 or truncated.
    explicit Hdf5Reader(const std::string& path);

    const std::string& path() const { return path_; }

    bool has(const std::string& name) const;
    std::vector<std::string> names(const std::string& group = "/") const;
    std::vector<std::string> attribute_names(const std::string& object) const;
    bool is_dataset(const std::string& name) const;

    Hdf5Shape shape(const std::string& dataset) const;
    /// Shape after checking that `kind` agrees, that there is at least one element, and that the
    /// data in double precision would fit into this machine's memory.
    Hdf5Shape checked_shape(const std::string& dataset, Hdf5Kind kind) const;

    /// Whole datasets, row-major. Integer datasets can be read as real.
    std::vector<double> read_real(const std::string& dataset) const;
    std::vector<Complex> read_complex(const std::string& dataset) const;
    /// One index of the first dimension.
    std::vector<Complex> read_complex_row(const std::string& dataset, std::size_t row) const;
    /// Texts as Hdf5Writer::texts stores them.
    std::vector<std::string> read_texts(const std::string& dataset) const;

    bool has_attribute(const std::string& object, const std::string& name) const;
    /// InputError when it is missing, of another type, empty, or more than one text.
    std::string attribute_text(const std::string& object, const std::string& name,
                               const Hdf5Wanted& wanted = {}) const;
    std::vector<double> attribute_numbers(const std::string& object, const std::string& name,
                                          const Hdf5Wanted& wanted = {}) const;

private:
    std::string path_;
    Hdf5Handle file_;
};

/// A new HDF5 file. It is made in memory and written by close(): after a write that the file system
/// refused, HDF5 (1.10.8) can neither close the file nor end without a crash.
/// Failures are Errors that name the file.
class Hdf5Writer {
public:
    /// `name` is what messages call it.
    Hdf5Writer(const std::string& path, const std::string& name);

    void group(const std::string& name);
    /// Complex numbers as compound {r,i}, as h5py reads and writes them.
    void complex64(const std::string& dataset, const std::vector<std::size_t>& extents,
                   const Complex* values);
    void complex128(const std::string& dataset, const std::vector<std::size_t>& extents,
                    const Complex* values);
    void real(const std::string& dataset, const std::vector<std::size_t>& extents,
              const double* values);
    /// One text an element. What may have thousands is a dataset: the attributes of an object share
    /// 64 kB.
    void texts(const std::string& dataset, const std::vector<std::string>& values);
    void attribute(const std::string& object, const std::string& name, const std::string& value);
    void attribute(const std::string& object, const std::string& name,
                   const std::vector<std::string>& values);
    void attribute(const std::string& object, const std::string& name,
                   const std::vector<double>& values);
    void attribute(const std::string& object, const std::string& name,
                   const std::vector<long>& values);
    void attribute(const std::string& object, const std::string& name, long value);

    /// Writes the file; Error when the file system refuses (a full disk).
    void close();

private:
    std::string path_;
    std::string name_;
    Hdf5Handle file_;
};

} // namespace lsrecon
