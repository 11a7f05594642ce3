#pragma once

#include <cstdint>
#include <string>

#include "io/hdf5_file.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// What a file with the volumes of an image says of them (docs/formats.md): geometry as attributes
/// of `dataset`, the record, times, the labels and positions of frames, the solver's histories, and
/// which frames failed.
void write_about(Hdf5Writer& file, const std::string& dataset, const Image& image);

/// An upper bound of the bytes of that.
std::uint64_t room_about(const Image& image);

} // namespace lsrecon
