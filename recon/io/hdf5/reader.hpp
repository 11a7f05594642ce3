// HDF5 files as the rest of the program reads them: names, attributes, numbers, tables.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/input_file.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "io/hdf5/object.hpp"

namespace lsrecon {

class Connection;
class Hdf5Answer;

/// The parts of the message about an attribute that is missing or of the wrong type; "" for the
/// general ones.
struct Hdf5Wanted {
    std::string expected;
    std::string next_step;
};

/// An HDF5 file that is only read, by a child process (child.hpp), which is asked for one thing
/// after the other. Every failure is an InputError that names file and object.
class Hdf5Reader {
public:
    /// InputError when the file is missing, not HDF5, damaged, or open for writing elsewhere.
    explicit Hdf5Reader(const std::string& path);
    ~Hdf5Reader();

    const std::string& path() const { return file_.path(); }
    /// The bytes of the file: their SHA-256, and whether they were changed meanwhile.
    InputFile& file() const { return file_; }
    void start_hash() const { file_.start_hash(); }
    std::string sha256() const { return file_.sha256(); }
    void require_unchanged() const { file_.require_unchanged(); }

    bool has(const std::string& name) const { return find(name) != nullptr; }
    std::vector<std::string> names(const std::string& group = "/") const;
    std::vector<std::string> attribute_names(const std::string& object) const;
    bool is_dataset(const std::string& name) const;

    /// InputError unless it is a dataset of this file.
    const Hdf5Object& dataset(const std::string& name) const;
    Hdf5Shape shape(const std::string& name) const { return dataset(name).shape; }
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

private:
    friend class Hdf5Answer;
    /// nullptr when there is none. Each is asked for once.
    const Hdf5Object* find(const std::string& name) const;
    const Hdf5Attribute* find_attribute(const std::string& object, const std::string& name) const;
    const Hdf5Attribute& attribute(const std::string& object, const std::string& name,
                                   Hdf5Kind kind, const Hdf5Wanted& wanted) const;
    void require_whole(const Hdf5Object& object, const std::string& name) const;

    mutable InputFile file_;
    /// The child that is idle between answers. Where two answers are received alternately, each has
    /// a child of its own.
    mutable std::unique_ptr<Connection> idle_;
    mutable std::map<std::string, Hdf5Object> known_;
};

/// The values of a dataset, in order, as they come: nothing but the values that are asked for is
/// held here, and the child reads ahead.
class Hdf5Values {
public:
    /// The dataset must have passed checked_shape. Only one index of the first dimension is read
    /// where `row` is given.
    Hdf5Values(const Hdf5Reader& file, const std::string& dataset,
               std::optional<std::size_t> row = std::nullopt);
    ~Hdf5Values();

    /// The next `count` of them as doubles.
    void read(double* to, std::size_t count);
    void read(Complex* to, std::size_t count) { read(reinterpret_cast<double*>(to), 2 * count); }
    /// The next rows x columns of complex values, in the file's own precision: received where they
    /// stay, and looked through for their largest part while they are in the cache.
    CoilRows read_rows(std::size_t rows, std::size_t columns);
    /// How many parts are worth reading side by side: one where the child sends them.
    std::size_t parts_of(std::size_t count) const { return answer_ ? 1 : cores_for(count); }
    /// Some of those that are still to come, read by themselves; only where there are such parts.
    Hdf5Values part(const Range& of) const;

private:
    /// Reads those of a file from an offset.
    Hdf5Values(const Hdf5Reader& file, std::string name, Precision precision, std::uint64_t offset,
               std::uint64_t bytes);
    /// Receives at most `bytes` of the numbers, and at least one of them; returns their bytes.
    std::size_t receive(void* to, std::size_t bytes);
    template <typename Number>
    void receive_all(Number* to, std::size_t count, LargestPart& largest);

    const Hdf5Reader& file_;
    std::string name_;
    std::unique_ptr<Hdf5Answer> answer_; ///< none where the numbers are read from their offset
    Precision precision_; ///< precision of the numbers as they come
    std::uint64_t offset_; ///< of the next number in the file
    std::uint64_t to_come_; ///< bytes
};

/// Rows of a table, by their indices, as they come.
class Hdf5Rows {
public:
    /// InputError when the table lacks a field. Indices rise.
    Hdf5Rows(const Hdf5Reader& file, const std::string& dataset,
             const std::vector<Hdf5Field>& fields, std::size_t row_bytes,
             const std::vector<std::size_t>& indices);
    ~Hdf5Rows();

    /// The next row; then each of its lists, in the order of the fields.
    void next(void* row);
    std::vector<float> list(const Hdf5List& of_row);

private:
    void take(void* to, std::size_t bytes);

    std::unique_ptr<Hdf5Answer> answer_; ///< null where no row is asked for
    std::size_t row_bytes_;
    std::size_t rows_to_come_;
    std::string part_;
    std::size_t used_ = 0; ///< bytes of the part
};

} // namespace lsrecon
