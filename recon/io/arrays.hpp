// Arrays of numbers in files without a grid, opened by their content.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/option.hpp"
#include "io/hdf5/object.hpp"

namespace lsrecon {

class Hdf5Reader;

/// An array of numbers in a file: what the file says of it, and its values when they are asked for.
struct StoredArray {
    std::string file;
    std::string name; ///< its own within the file; "" where the format has none
    std::string thing; ///< what messages call it within the file: "/weights", "values"
    Hdf5Shape shape; ///< kind and extents, the slowest dimension first
    /// Whether the program that wrote it counts dimensions from the fastest one: MATLAB and BART.
    bool first_is_fastest = false;
    std::string units; ///< of a trajectory or of times, as the file says; "" where it does not
    /// Reads all values in their own precision, row-major, in so many rows.
    std::function<CoilRows(std::size_t rows)> values;
    std::function<std::string()> sha256; ///< hash of the bytes that were read
    /// The file with its attributes; null in a format without any.
    std::shared_ptr<const Hdf5Reader> hdf5;
};

/// A file, and the name of an array in it: "maps.npz:sens". The name is "" where the word is a
/// file.
struct ArrayName {
    std::string file;
    std::string name;
};
ArrayName array_name_of(const std::string& word);
/// An option that names an array, whose file is an input.
option::Value array_input(std::string& member);

/// What arrays are in a scan: names of datasets of the native format.
std::vector<std::string> array_roles();
/// The role of an array by the names that programs give it; "" where none has it.
std::string array_role_of(const std::string& name);
/// The formats that are read, in words.
std::string array_formats_in_words();
/// Whether the file holds arrays that say nothing about their grid: all formats but HDF5.
bool recognises_bare_array(const std::string& path);
/// Whether the file is of an array format, HDF5 among them.
bool recognises_arrays(const std::string& path);

/// All arrays of a file. InputError when it is of no format that holds arrays, or has none.
std::vector<StoredArray> open_arrays(const std::string& path);
/// The array that a word names: "FILE:NAME"; without a name the dataset of this name in HDF5, the
/// variable of this name, the only one or that of this role elsewhere. InputError when there is
/// none, or it is not of real or complex numbers.
StoredArray open_array(const std::string& word, const std::string& dataset);

/// Reads all values, row-major. InputError with the first that is not a finite real number.
std::vector<double> real_values(const StoredArray& array);

} // namespace lsrecon
