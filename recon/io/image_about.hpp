#pragma once

#include <cstdint>
#include <string>

#include "io/hdf5/writer.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The dimensions of a dataset and their names, slowest first.
struct ImageAxes {
    std::vector<std::size_t> extents;
    std::vector<std::string> names;

    void add(std::size_t extent, const std::string& name);
    /// (z,) y, x of a grid, or the voxels of a list.
    void add_space(const Image& image, std::size_t voxels);
};

/// How lambda was chosen: /record/lambda_curve, and what its columns are.
constexpr const char* lambda_curve_table = "lambda_curve";
const std::vector<std::string>& lambda_curve_columns();

/// What a file with the volumes of an image says of them (docs/formats.md): geometry as attributes
/// of `dataset`, the record, times, the labels and positions of frames, the solver's histories,
/// which frames failed, maps of the noise, and previews of the coil maps.
void write_about(Hdf5Writer& file, const std::string& dataset, const Image& image);

/// An upper bound of the bytes of that.
std::uint64_t room_about(const Image& image);

} // namespace lsrecon
