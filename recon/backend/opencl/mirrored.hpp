#pragma once

#include "backend/opencl/direct.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::opencl {

/// True for voxels that mirrored_transform takes: a lattice of two rows or more.
bool can_mirror(const Voxels& voxels);

/// FHd at half of a lattice, and at the other half by x -> -x about its middle, where the phase of
/// every sample is the same with the other sign: a sine and a cosine serve two voxels. For rows of
/// SourceLayout::vectors.
///
/// The middle may lie between two voxels. Positions are therefore counted from it in halves of
/// voxels, whole numbers, and exp(i 2 pi k . middle) goes to the values.
CoilMatrix mirrored_transform(Queue& queue, const KernelRow& row,
                              const ChosenParameters& parameters,
                              const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                              const Voxels& voxels, const Progress& progress);

} // namespace lsrecon::opencl
