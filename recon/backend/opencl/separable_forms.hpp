#pragma once

#include "backend/opencl/lattice_samples.hpp"
#include "backend/opencl/separable.hpp"

namespace lsrecon::opencl {

/// What both forms of the separable transform are given.
struct SeparableWork {
    const LatticeSamples& samples;
    const Voxels& voxels;
    std::size_t coils;
    std::size_t most_bytes; ///< that the totals of one piece of the volume may take
    const Progress& progress;
};

/// In private memory, for CPUs: kernels/separable.cl.
CoilMatrix separable_private(Queue& queue, const Parameters& parameters, const SeparableWork& work);
/// In local memory, for GPUs: kernels/separable_local.cl.
CoilMatrix separable_local(Queue& queue, const Parameters& parameters, const SeparableWork& work);

/// The same for F: the samples have no values.
struct ForwardWork {
    const LatticeSamples& samples;
    const CoilMatrix& rho;
    const Voxels& voxels;
    const Progress& progress;
};
CoilMatrix forward_private(Queue& queue, const ForwardWork& work); ///< separable_forward.cl
CoilMatrix forward_local(Queue& queue, const Parameters& parameters, const ForwardWork& work);

} // namespace lsrecon::opencl
