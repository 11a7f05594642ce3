#pragma once

#include <string>

#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "scan/map_previews.hpp"

namespace lsrecon {

/// Of an image file: [C, Y, X] complex64.
constexpr const char* map_previews_dataset = "coil_map_previews";

/// Nothing where there are none.
void write_map_previews(Hdf5Writer& file, const MapPreviews& previews);

/// All but their values. InputError when they are no previews of maps on the grid of /image.
MapPreviews read_map_previews(const Hdf5Reader& file);

/// "32 of 40 coils, slice 12, frame 3, one of 2 voxels in each direction"
std::string in_words(const MapPreviews& previews);

} // namespace lsrecon
