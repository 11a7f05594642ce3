#pragma once

#include "base/coil_rows.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// How far axes may lie apart and count as the same: their cosine.
constexpr double smallest_cosine = 0.9999;

/// Volumes C x N and their grid with the axes of `like`, in its order and directions: other
/// programs store the same image from another corner, or another axis first. Every voxel stays
/// where it is in the patient. What has no directions, or others, is left as it is.
void lay_along_axes_of(const Grid& like, Grid& grid, CoilRows& volumes);

} // namespace lsrecon
