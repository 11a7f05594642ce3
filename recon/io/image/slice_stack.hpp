#pragma once

#include <string>
#include <vector>

#include "io/image/stored.hpp"

namespace lsrecon {

/// The arrangement of frames at several positions as volumes: parallel slices, evenly spaced along
/// their normal, each with as many frames as the others.
struct SliceStack {
    std::string problem; ///< why they do not, "" when they do
    double spacing_mm = 0;
    /// [volume][slice] frame; the slices along the normal. Empty when all frames lie at one place.
    std::vector<std::vector<std::size_t>> volumes;
};

SliceStack find_slices(const StoredImage& image);

/// The image with its slices as the third dimension, where there are several. InputError when
/// frames at several positions are no such slices.
StoredImage with_slices_stacked(const StoredImage& image);

} // namespace lsrecon
