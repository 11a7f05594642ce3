#pragma once

#include "base/coil_rows.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// sum_c |S_cn|^2 of coil maps, C x N, at each voxel.
RealVector squares_of(const CoilRows& coil_maps);

} // namespace lsrecon
