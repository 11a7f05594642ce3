#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/types.hpp"
#include "io/hdf5_snapshot.hpp"
#include "io/image/file_values.hpp"

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

struct Hdf5Request;
class Hdf5Session;
class Hdf5Sessions;

/// A field of the rows of a table.
struct Hdf5Field {
    enum class Type { uint16, uint32, uint64, int32, float32 };
    std::string name;
    Type type;
    std::size_t offset; ///< in a row, in bytes
    std::size_t count = 1; ///< more are an array

    template <typename Archive> void each(Archive& archive) { archive(name, type, offset, count); }
};

/// A field of the structure Row, under its own name.
#define LSRECON_FIELD(Row, name, type, count)                                                      \
    lsrecon::Hdf5Field {                                                                           \
#name, lsrecon::Hdf5Field::Type::type, offsetof(Row, name), count                          \
    }

/// The parts of the message about an attribute that is missing or of the wrong type; "" for the
/// general ones.
struct Hdf5Wanted {
    std::string expected;
    std::string next_step;
};

/// An HDF5 file that is only read, by a child process (hdf5_child.hpp). What it declares is known
/// once it is open; values are sent on demand. Every failure is an InputError that names file and
/// dataset.
class Hdf5Reader {
public:
    /// InputError when the file is missing, not HDF5, damaged, or open for writing elsewhere.
    explicit Hdf5Reader(const std::string& path);
    ~Hdf5Reader();

    const std::string& path() const { return path_; }

    /// The SHA-256 of the bytes that were read, computed while they are. InputError when the file
    /// was changed meanwhile.
    void start_hash() const;
    std::string sha256() const;
    void require_unchanged() const;

    bool has(const std::string& name) const;
    std::vector<std::string> names(const std::string& group = "/") const;
    std::vector<std::string> attribute_names(const std::string& object) const;
    bool is_dataset(const std::string& name) const;

    /// InputError unless it is a dataset of this file.
    Hdf5Shape shape(const std::string& dataset) const;
    /// Shape after checking that `kind` agrees, that there is at least one element, that one index
    /// of the first dimension would fit into memory, and that the file holds all values.
    Hdf5Shape checked_shape(const std::string& dataset, Hdf5Kind kind) const;
    /// InputError when values of the dataset are missing, or lie in other files: HDF5 reads what it
    /// does not find as zeros.
    void require_complete(const std::string& dataset) const;

    /// Whole datasets, row-major. Integer datasets can be read as real.
    std::vector<double> read_real(const std::string& dataset) const;
    std::vector<Complex> read_complex(const std::string& dataset) const;
    /// One index of the first dimension.
    std::vector<Complex> read_complex_row(const std::string& dataset, std::size_t row) const;
    /// Every text of a dataset, in order.
    std::vector<std::string> read_texts(const std::string& dataset) const;
    /// A single text.
    std::string read_text(const std::string& dataset) const;

    /// The rows of a table, each `row_bytes` with these fields. InputError when it lacks one.
    std::string read_table(const std::string& dataset, const std::vector<Hdf5Field>& fields,
                           std::size_t row_bytes) const;

    bool has_attribute(const std::string& object, const std::string& name) const;
    /// InputError when it is missing, of another type, empty, or more than one text.
    std::string attribute_text(const std::string& object, const std::string& name,
                               const Hdf5Wanted& wanted = {}) const;
    std::vector<double> attribute_numbers(const std::string& object, const std::string& name,
                                          const Hdf5Wanted& wanted = {}) const;

    /// The value of any attribute as it is shown: a text, or numbers with commas.
    std::string attribute_in_words(const std::string& object, const std::string& name) const;

    /// For callers that receive values part by part.
    Hdf5Sessions& sessions() const { return *sessions_; }

private:
    const Hdf5Object* find(const std::string& name) const;
    const Hdf5Object& dataset(const std::string& name) const;
    const Hdf5Attribute& attribute(const std::string& object, const std::string& name,
                                   Hdf5Kind kind, const Hdf5Wanted& wanted) const;
    void require_whole(const Hdf5Object& object, const std::string& name) const;

    std::string path_;
    std::unique_ptr<Hdf5Sessions> sessions_;
    Hdf5Object root_;
};

/// The values of a dataset, in order, as they come: nothing but the values that are asked for is
/// held here, and the child reads ahead.
class Hdf5Values {
public:
    /// After checked_shape.
    Hdf5Values(const Hdf5Reader& file, const std::string& dataset);
    /// Of one index of the first dimension.
    Hdf5Values(const Hdf5Reader& file, const std::string& dataset, std::size_t row);
    ~Hdf5Values();

    /// The next `count` of them as doubles.
    void read(double* to, std::size_t count);
    void read(Complex* to, std::size_t count) { read(reinterpret_cast<double*>(to), 2 * count); }
    /// The next rows x columns of complex values, in the file's own precision: received where they
    /// stay, and looked through for their largest part while they are in the cache.
    CoilRows read_rows(std::size_t rows, std::size_t columns);

private:
    Hdf5Values(const Hdf5Reader& file, const Hdf5Request& request);
    /// At most `bytes` of the numbers, and at least one of them; their bytes.
    std::size_t receive(void* to, std::size_t bytes);
    template <typename Number>
    void receive_all(Number* to, std::size_t count, LargestPart& largest);

    Hdf5Sessions& sessions_;
    std::unique_ptr<Hdf5Session> session_;
    Precision precision_ = Precision::float64; ///< of the numbers as they come
    std::uint64_t place_ = 0; ///< of the next of them in the file; 0 when the child sends them
    std::uint64_t to_come_ = 0; ///< bytes
    std::uint64_t in_part_ = 0; ///< bytes of the present part that are still to come
};

struct IsmrmrdRow;

/// What one element of a dataset is. Complex ones are compounds {r,i}, as h5py reads and writes
/// them, in ISMRMRD {real,imag}.
enum class Hdf5Element { float32, complex64, complex128, ismrmrd_complex64, sha256 };

/// A new HDF5 file. It is made in memory and written by close(): after a write that the file system
/// refused, HDF5 (1.10.8) can neither close the file nor end without a crash. One whose values come
/// part after part is made on disk: HDF5 writes only what describes it, once there was room for
/// that, and close() puts the values where HDF5 left their place. Failures are Errors that name the
/// file.
class Hdf5Writer {
public:
    /// `name` is what messages call it; `room` the bytes of all but those values, 0 in memory.
    Hdf5Writer(const std::string& path, const std::string& name, std::uint64_t room = 0);

    void group(const std::string& name);
    /// Complex numbers as compound {r,i}, as h5py reads and writes them.
    void complex64(const std::string& dataset, const std::vector<std::size_t>& extents,
                   const Complex* values);
    /// The values of all parts, one after the other.
    void complex64(const std::string& dataset, const std::vector<std::size_t>& extents,
                   const std::vector<const CoilRows*>& parts);
    /// Values that close() asks for, part after part: never in memory together. Of a writer with
    /// `room`; several such datasets are asked for in the order of these calls.
    void later(const std::string& dataset, const std::vector<std::size_t>& extents,
               Hdf5Element element, std::size_t parts, const PartValues& values);
    void real(const std::string& dataset, const std::vector<std::size_t>& extents,
              const double* values, Precision stored = Precision::float64);
    /// All of one length, padded with zeros. What may have thousands is a dataset: the attributes
    /// of an object share 64 kB.
    void texts(const std::string& dataset, const std::vector<std::size_t>& extents,
               const std::vector<std::string>& values);
    /// Each as long as it is.
    void variable_texts(const std::string& dataset, const std::vector<std::string>& values);
    /// Rows of `row_bytes` that hold `fields`; the file has them packed, in the order of offsets.
    void table(const std::string& dataset, const std::vector<Hdf5Field>& fields, std::size_t rows,
               std::size_t row_bytes, const void* values);
    /// Rows of ISMRMRD acquisitions, which are asked for one after the other.
    void acquisitions(const std::string& dataset, std::size_t rows,
                      const std::function<IsmrmrdRow(std::size_t row)>& row);
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
    void write_later_values();
    /// Error when HDF5 could not hold it.
    void require_held(bool succeeded, const std::string& dataset) const;
    Hdf5Handle made_dataset(const std::string& dataset, std::size_t rows, const Hdf5Handle& type);

    struct Later {
        std::uint64_t at = 0; ///< in the file
        std::uint64_t bytes = 0;
        std::size_t parts = 0;
        PartValues values;
    };

    std::string path_;
    std::string name_;
    std::uint64_t room_; ///< on disk of all but values that come later; 0 for a file in memory
    Hdf5Handle file_;
    std::vector<Later> later_;
};

} // namespace lsrecon
