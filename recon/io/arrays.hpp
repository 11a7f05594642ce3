// Arrays of numbers in files without a grid, opened by their content.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "io/hdf5/object.hpp"

namespace lsrecon {

class Hdf5Reader;

/// An array of numbers in a file: what the file says of it, and its values when they are asked for.
struct StoredArray {
    std::string file;
    std::string thing; ///< what messages call it within the file: "/weights", "values"
    Hdf5Shape shape; ///< kind and extents, the slowest dimension first
    /// Reads all values in their own precision, row-major, in so many rows.
    std::function<CoilRows(std::size_t rows)> values;
    std::function<std::string()> sha256; ///< hash of the bytes that were read
    /// The file with its attributes; null in a format without any.
    std::shared_ptr<const Hdf5Reader> hdf5;
};

/// Whether the file holds an array of no name, which says nothing about its grid: NumPy's .npy and
/// BART's pair .cfl and .hdr.
bool recognises_bare_array(const std::string& path);

/// The array of a file of any format that holds arrays: the dataset of this name in HDF5, the only
/// one elsewhere. InputError when there is none, or it is not of real or complex numbers.
StoredArray open_array(const std::string& path, const std::string& dataset);

/// Reads all values, row-major. InputError with the first that is not a finite real number.
std::vector<double> real_values(const StoredArray& array);

} // namespace lsrecon
