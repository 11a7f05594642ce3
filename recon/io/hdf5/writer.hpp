// New HDF5 files, and the values of frames as such a file holds them.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/float_range.hpp"
#include "base/types.hpp"
#include "io/hdf5/object.hpp"

namespace lsrecon {

using FileBytes = std::vector<char>;

/// Takes bytes of a file's values, in order.
using TakeBytes = std::function<void(const void* bytes, std::size_t size)>;
/// Gives the values of one of several parts, in as many pieces as it likes.
using PartValues = std::function<void(std::size_t part, const TakeBytes& take)>;

/// The values of a frame as a file holds them, complex numbers of floats or of doubles, while they
/// come in any order.
class FileValues {
public:
    FileValues(std::size_t count, Precision precision) : count_(count), precision_(precision) {}

    /// Values number `first` and those that follow. DeviceError when one is not finite,
    /// ToleranceError when one is beyond the precision's range.
    void put(std::size_t first, const ComplexVector& values);

    double largest_part() const { return largest_.value(); }
    FileBytes bytes() && { return std::move(bytes_); }

private:
    std::size_t count_;
    Precision precision_;
    FileBytes bytes_; ///< none before the first values come: it may be long until they do
    LargestPart largest_;
};

class Hdf5Handle;

/// The type of one element of a dataset. Complex elements are compounds {r,i}, as h5py reads and
/// writes them, in ISMRMRD {real,imag}.
enum class Hdf5Element { float32, float64, complex64, complex128, ismrmrd_complex64, sha256 };

/// A new HDF5 file. It is made in memory and written by close(): after a write that the file system
/// refused, HDF5 (1.10.8) can neither close the file nor end without a crash. One whose values come
/// part after part is made on disk: HDF5 writes only what describes it, once there was room for
/// that, and close() puts the values where HDF5 left room for them. Failures are Errors that name
/// the file. HDF5 has one state for all of a process: no other thread writes with it from the
/// writer's beginning until close() has left only those values, or until its end.
class Hdf5Writer {
public:
    /// `name` is what messages call it; `room` the bytes of all but those values, 0 in memory.
    Hdf5Writer(const std::string& path, const std::string& name, std::uint64_t room = 0);
    ~Hdf5Writer();

    void group(const std::string& name);
    /// Complex numbers as compound {r,i}, as h5py reads and writes them.
    void complex64(const std::string& dataset, const std::vector<std::size_t>& extents,
                   const Complex* values);
    /// The values of all parts, one after the other; of a writer with `room`, close() takes them.
    void rows(const std::string& dataset, const std::vector<std::size_t>& extents,
              const std::vector<const CoilRows*>& parts, Precision stored = Precision::float32);
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
    /// Rows of `row_bytes` that hold `fields`, which are asked for some after the other.
    using RowsFrom = std::function<const void*(std::size_t first, std::size_t count)>;
    void table(const std::string& dataset, const std::vector<Hdf5Field>& fields, std::size_t rows,
               std::size_t row_bytes, const RowsFrom& rows_from);
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

    struct Later {
        std::uint64_t at = 0; ///< offset in the file
        std::uint64_t bytes = 0;
        std::size_t parts = 0;
        PartValues values;
    };

    /// Exclusive use of HDF5; a thread may have several writers.
    std::unique_lock<std::recursive_mutex> alone_;
    std::string path_;
    std::string name_;
    std::uint64_t room_; ///< on disk of all but values that come later; 0 for a file in memory
    std::unique_ptr<Hdf5Handle> file_;
    std::vector<Later> later_;
};

} // namespace lsrecon
