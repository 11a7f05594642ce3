#pragma once

#include "backend/backend.hpp"
#include "backend/opencl/queue.hpp"

namespace lsrecon::opencl {

/// FHd or Q on a lattice, out_cn = sum_m value_cm exp(+i 2 pi k_m . x_n), as a real matrix product
/// of factors of one dimension each (kernels/separable.cl): shared in local memory, as GPUs like
/// it, or in private memory, as CPUs do.
CoilMatrix separable_transform(Queue& queue, const std::vector<Vec3>& trajectory,
                               const CoilMatrix& values, const Voxels& voxels, bool in_local_memory,
                               const Progress& progress);

/// F on a lattice, out_cm = sum_n rho_cn exp(-i 2 pi k_m . x_n), one coil after another. Made for
/// CPU devices: a work-item takes a vector of samples through the whole volume.
CoilMatrix separable_forward(Queue& queue, const std::vector<Vec3>& trajectory,
                             const CoilMatrix& rho, const Voxels& voxels, const Progress& progress);

} // namespace lsrecon::opencl
