// The phase between echoes that were read forward and backward.

#pragma once

#include <optional>
#include <vector>

#include "model/field_from_echoes.hpp"

namespace lsrecon {

/// What the phase of backward echoes has beyond that of forward ones: offset + slope x, where x is
/// in voxels from the centre along the first dimension, as delays and eddy currents leave it.
/// Phases show the offset up to half a turn; it is the one nearest 0.
struct BipolarPhase {
    double offset = 0; ///< rad
    double slope = 0; ///< rad a voxel
};

/// By three echoes or more that follow each other at even distances in opposite directions, whose
/// fields cancel. Takes it out of the images. None where there are no such echoes, or their phases
/// do not agree on it: the images then stay as they are.
std::optional<BipolarPhase> take_out_directions(EchoImages& echoes,
                                                const std::vector<bool>& reversed);

} // namespace lsrecon
