#pragma once

#include "backend/backend.hpp"
#include "backend/opencl/queue.hpp"

namespace lsrecon::opencl {

/// FHd or Q on a lattice, out_cn = sum_m value_cm exp(+i 2 pi k_m . x_n), as a real matrix product
/// of factors of one dimension each: by kernels/separable_local.cl when the parameter LOCAL is 1,
/// as GPUs like it, else by kernels/separable.cl, as CPUs do. Cuts the volume into pieces that fit
/// the device, and into smaller ones when an allocation fails; `note` is told of that.
CoilMatrix separable_transform(Queue& queue, const Parameters& parameters,
                               const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                               const Voxels& voxels, const Progress& progress,
                               const std::function<void(const std::string&)>& note);

/// F on a lattice, out_cm = sum_n rho_cn exp(-i 2 pi k_m . x_n), one coil after another; the same
/// two forms.
CoilMatrix separable_forward(Queue& queue, const Parameters& parameters,
                             const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                             const Voxels& voxels, const Progress& progress);

/// Relative L2 error of either, of this many terms, by how these parameters sum.
double separable_bound(const Parameters& parameters, std::size_t sources);

} // namespace lsrecon::opencl
