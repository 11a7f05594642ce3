#pragma once

#include "engines/opencl/points.hpp"

namespace lsrecon::opencl {

/// True for voxels that Mirrored takes: a lattice of two rows or more.
bool can_mirror(const Voxels& voxels);

/// FHd at half of a lattice, and at the other half by x -> -x about its middle, where the phase of
/// every sample is the same with the other sign: a sine and a cosine serve two voxels. For rows of
/// SourceLayout::vectors.
///
/// The middle may lie between two voxels. Positions are therefore counted from it in halves of
/// voxels, whole numbers, and exp(i 2 pi k . middle) goes to the values.
struct Mirrored {
    Mirrored(const Resources& resources, const std::vector<Vec3>& trajectory, const Voxels& voxels,
             SourceLayout layout);

    PointsOnDevice samples;
    PointsOnDevice half; ///< whole rows; the n-th voxel and the n-th from the end are images
    Array phases;
};

} // namespace lsrecon::opencl
