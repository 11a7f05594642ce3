#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lsrecon {

// What an HDF5 file declares, as plain data: everything about it but the values of its datasets.
// A child process makes it (hdf5_child.hpp); each() carries it over (base/packed.hpp).

/// The largest number there is where the product overflows: a damaged file may declare anything.
std::size_t product_of(const std::vector<std::size_t>& factors);

enum class Hdf5Kind { integer, real, complex, string, other };

/// What a dataset or an attribute declares.
struct Hdf5Shape {
    Hdf5Kind kind = Hdf5Kind::other;
    std::string type_name; ///< for messages: "float32", "complex {r,i} of float32", ...
    std::vector<std::size_t> extents; ///< empty for a single value
    bool null = false; ///< no value at all, as h5py.Empty writes it
    std::uint64_t number_bytes = 8; ///< of a number as it is read, two a complex value

    std::size_t elements() const;
    /// Of the values of one index of the first dimension.
    std::size_t row_elements() const;
    std::string to_string() const; ///< "float32 [4, 4010]", "one int64"

    template <typename Archive> void each(Archive& archive) {
        archive(kind, type_name, extents, null, number_bytes);
    }
};

enum class Hdf5Layout { contiguous, chunked, compact, in_other_files };

/// What of a dataset the file holds. HDF5 reads what is missing as zeros.
struct Hdf5Storage {
    Hdf5Layout layout = Hdf5Layout::compact;
    std::uint64_t expected = 0; ///< chunks, or bytes
    std::uint64_t stored = 0;

    template <typename Archive> void each(Archive& archive) { archive(layout, expected, stored); }
};

struct Hdf5Attribute {
    /// More numbers than any format here has; those of larger attributes are not kept.
    static constexpr std::size_t most_numbers = 1000;

    std::string name;
    Hdf5Shape shape;
    bool readable = true;
    std::string text; ///< where the attribute is a single text
    std::vector<double> numbers;

    template <typename Archive> void each(Archive& archive) {
        archive(name, shape, readable, text, numbers);
    }
};

enum class Hdf5Is { group, dataset, other, link_to_other_file, unreadable };

struct Hdf5Object {
    std::string name; ///< within its group
    Hdf5Is is = Hdf5Is::unreadable;
    Hdf5Shape shape; ///< of a dataset
    Hdf5Storage storage; ///< of a dataset
    std::vector<Hdf5Attribute> attributes; ///< in the order of their names
    std::vector<Hdf5Object> members; ///< of a group, three levels deep: no format here goes deeper
    bool whole = true; ///< whether the lists of attributes and members could be read to their ends

    template <typename Archive> void each(Archive& archive) {
        archive(name, is, shape, storage, attributes, members, whole);
    }
};

/// "[4, 4010]"
std::string shown(const std::vector<std::size_t>& extents);

/// For messages: "real numbers", ...
std::string kind_name(Hdf5Kind kind);

/// Whether `found` can be read as `wanted`: whole numbers are also real ones.
bool fits(Hdf5Kind found, Hdf5Kind wanted);

/// What messages call an object and its attribute: "/samples", attribute "units" of /trajectory.
std::string full_name(const std::string& object);
std::string attribute_name(const std::string& object, const std::string& name);

} // namespace lsrecon
