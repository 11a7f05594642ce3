// What the table of array formats calls: a reader a format, and the numbers that they share.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/input_file.hpp"
#include "io/arrays.hpp"

namespace lsrecon {

/// What a number of an array is in its file.
struct NumberType {
    char kind = 'f'; ///< 'f' real, 'i' whole, 'u' whole from 0, 'c' complex
    std::size_t bytes = 4; ///< of a number; of both parts of a complex one
    bool swapped = false; ///< the file has the other order of bytes than this machine
};

/// The shape that numbers of this type have in an array.
Hdf5Shape shape_of(const NumberType& type, const std::string& name,
                   const std::vector<std::size_t>& extents);

/// Some bytes of a file, or of what it holds compressed.
struct ByteSource {
    std::size_t bytes = 0;
    /// Reads so many of them from an offset on; they are there.
    std::function<void(void* to, std::size_t count, std::size_t at)> read;
};

/// The bytes of a file from an offset on.
ByteSource bytes_of(const std::shared_ptr<InputFile>& file, std::size_t from, std::size_t count);
/// What `packed` holds, compressed by zlib; `raw` without its header. InputError, when it is read,
/// where that is not what it is.
ByteSource inflated(const std::shared_ptr<InputFile>& file, const ByteSource& packed,
                    std::size_t bytes, bool raw);
/// The first bytes of what `packed` holds, `most` at most.
std::string inflated_begin(const std::shared_ptr<InputFile>& file, const ByteSource& packed,
                           std::size_t most, bool raw);
/// The most that so many compressed bytes can hold.
std::size_t most_inflated(std::size_t packed);

/// The values as rows of as many columns, in single precision where it holds them exactly.
CoilRows read_numbers(const ByteSource& source, std::size_t at, const NumberType& type,
                      std::size_t rows, std::size_t columns);

/// Values in the order of an index whose first dimension is the fastest, in that of C.
CoilRows in_order_of_c(const CoilRows& values, const std::vector<std::size_t>& extents,
                       std::size_t rows);

/// Numbers in memory as an array of so many columns.
StoredArray array_of_doubles(const std::string& file, const std::string& thing,
                             const std::shared_ptr<const std::vector<double>>& numbers,
                             std::size_t columns, const std::string& sha256,
                             const std::string& units);

/// The array of NumPy's format in these bytes.
StoredArray npy_array(const std::string& file, const std::string& thing, const ByteSource& source);

// Each recognises its format by content, and lists the arrays that a file holds. InputError with
// the first thing that is wrong.

bool recognises_npy(const std::string& path);
std::vector<StoredArray> open_npy(const std::string& path);
bool recognises_npz(const std::string& path);
std::vector<StoredArray> open_npz(const std::string& path);
/// MATLAB's files of versions 5 to 7; those of version 7.3 are HDF5.
bool recognises_matlab(const std::string& path);
std::vector<StoredArray> open_matlab(const std::string& path);
/// Files of version 4 begin by nothing but sizes.
bool recognises_matlab_4(const std::string& path);
std::vector<StoredArray> open_matlab_4(const std::string& path);
/// Lines of numbers, separated by commas, semicolons or blanks.
bool recognises_numbers_in_text(const std::string& path);
std::vector<StoredArray> open_numbers_in_text(const std::string& path);
/// The dataset as an array. InputError when there is none of numbers.
StoredArray open_hdf5_array(const std::shared_ptr<const Hdf5Reader>& file,
                            const std::string& dataset);
/// Every dataset of numbers of an HDF5 file.
bool recognises_hdf5(const std::string& path);
std::vector<StoredArray> open_hdf5_arrays(const std::string& path);

} // namespace lsrecon
