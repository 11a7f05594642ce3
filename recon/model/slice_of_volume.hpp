#pragma once

#include "base/coil_rows.hpp"
#include "model/resampled.hpp"

namespace lsrecon {

/// Whether `from` is a volume and `to` a slice, which may lie in it anywhere and turned. A volume
/// of one plane is a plane.
bool is_slice_of(const Grid& to, const Grid& from);

/// InputError that names what is missing when the position or directions of a grid are not known.
/// `whose`: "the scan".
void require_known_place(const Grid& grid, const std::string& whose, const Resampled& of);

/// InputError when the position or directions of one of the two are not known, when the middle row
/// and column of the slice, but for a voxel at the edges, leave the volume by more than a voxel, or
/// when the volume is so much larger that its unit must be another one.
void require_slice_inside(const Grid& slice, const Grid& volume, const Resampled& of);

/// Volumes C x N where the voxels of a slice have their centres: a slice is thin. Linear
/// interpolation along the three axes, 0 beyond the volume. Both places are known.
CoilRows slice_of(const CoilRows& volumes, const Grid& volume, const Grid& slice);

} // namespace lsrecon
