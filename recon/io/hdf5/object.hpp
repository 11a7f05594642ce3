// What objects of an HDF5 file declare, as plain data: shapes, attributes, fields of tables.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lsrecon {

// The declarations of the objects of an HDF5 file, as plain data. A child process finds them
// out (child.hpp); each() carries them over (base/packed.hpp).

/// The product; the largest number there is where it overflows: a damaged file may declare
/// anything.
std::size_t product_of(const std::vector<std::size_t>& factors);

enum class Hdf5Kind { integer, real, complex, string, other };

/// The declaration of a dataset or an attribute.
struct Hdf5Shape {
    Hdf5Kind kind = Hdf5Kind::other;
    std::string type_name; ///< name for messages: "float32", "complex {r,i} of float32", ...
    std::vector<std::size_t> extents; ///< empty for a single value
    bool null = false; ///< no value at all, as h5py.Empty writes it
    /// Bytes of a number as it is read, two numbers a complex value.
    std::uint64_t number_bytes = 8;

    std::size_t elements() const;
    /// The number of values at one index of the first dimension.
    std::size_t row_elements() const;
    /// The bytes of a value as it is read.
    std::size_t value_bytes() const { return number_bytes * (kind == Hdf5Kind::complex ? 2 : 1); }
    std::string to_string() const; ///< "float32 [4, 4010]", "one int64"

    template <typename Archive> void each(Archive& archive) {
        archive(kind, type_name, extents, null, number_bytes);
    }
};

struct Hdf5Attribute {
    std::string name;
    Hdf5Shape shape;
    bool readable = true;
    std::string text; ///< text of an attribute that is a single text
    std::vector<double> numbers;

    template <typename Archive> void each(Archive& archive) {
        archive(name, shape, readable, text, numbers);
    }
};

/// Why something cannot be read; the file and the thing are known to who asked.
struct Hdf5Refusal {
    std::string found;
    std::string expected;
    std::string next_step;

    template <typename Archive> void each(Archive& archive) { archive(found, expected, next_step); }
};

enum class Hdf5Is { unreadable, dataset, other };

struct Hdf5Object {
    Hdf5Is is = Hdf5Is::unreadable;
    std::vector<Hdf5Attribute> attributes; ///< attributes in the order of their names
    std::vector<std::string> members; ///< members of a group, in order
    bool whole = true; ///< whether the lists of attributes and members could be read to their ends
    Hdf5Shape shape; ///< shape of a dataset
    /// Why it is unreadable or not whole; of a dataset where its values are missing or lie in other
    /// files, which HDF5 reads as zeros.
    Hdf5Refusal refusal;
    /// The position in the file of the first number of a dataset whose numbers lie one after the
    /// other as this machine has them; 0 where HDF5 has to put them together.
    std::uint64_t offset = 0;

    template <typename Archive> void each(Archive& archive) {
        archive(is, attributes, members, whole, shape, refusal, offset);
    }
};

/// A field of the rows of a table.
struct Hdf5Field {
    enum class Type { uint16, uint32, uint64, int32, float32, list, fields };
    std::string name;
    Type type;
    std::size_t offset; ///< offset in a row, in bytes
    std::size_t count = 1; ///< more are an array; of fields within a field, their bytes
    std::vector<Hdf5Field> fields{};

    template <typename Archive> void each(Archive& archive) {
        archive(name, type, offset, count, fields);
    }
};

/// Floats, as many as a row has: a field of type list. They belong to who made the row.
struct Hdf5List {
    std::size_t count = 0;
    const float* values = nullptr;
};

/// A field of the structure Row, under its own name.
#define LSRECON_FIELD(Row, name, type, count)                                                      \
    lsrecon::Hdf5Field {                                                                           \
#name, lsrecon::Hdf5Field::Type::type, offsetof(Row, name), count, {}                      \
    }

/// 0, 1, ..., count - 1.
std::vector<std::size_t> all_indices(std::size_t count);

/// "[4, 4010]"
std::string shown(const std::vector<std::size_t>& extents);

/// The name of a kind for messages: "real numbers", ...
std::string kind_name(Hdf5Kind kind);

/// Whether `found` can be read as `wanted`: whole numbers are also real ones.
bool fits(Hdf5Kind found, Hdf5Kind wanted);

/// The names of an object and its attribute in messages: "/samples", attribute "units" of
/// /trajectory.
std::string full_name(const std::string& object);
std::string attribute_name(const std::string& object, const std::string& name);

} // namespace lsrecon
