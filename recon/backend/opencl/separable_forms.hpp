#pragma once

#include <limits>

#include "backend/opencl/lattice_samples.hpp"
#include "backend/opencl/separable.hpp"

namespace lsrecon::opencl {

/// Values of the parameter FORM.
enum class Form { in_private = 0, local = 1, matrix = 2 };

/// What all forms of the separable transform are given.
struct SeparableWork {
    const LatticeSamples& samples;
    const Voxels& voxels;
    std::size_t coils;
    std::size_t most_bytes; ///< that the totals of one piece of the volume may take
    const Progress& progress;
};

/// In private memory, for CPUs: kernels/separable.cl.
CoilMatrix separable_private(Queue& queue, const Parameters& parameters, const SeparableWork& work);

/// How a kernel file divides a product: each work-group has some rows and columns of it.
struct Tiles {
    const char* file;
    std::string defines;
    std::size_t rows;
    std::size_t columns;
    std::size_t items; ///< of a work-group
    std::size_t step; ///< terms of a sum that stand in local memory at a time
};

/// A file with kernels `factors`, `product` and `finish`. Columns are x, terms are samples.
struct TiledProduct {
    /// Samples one after the other, and how many of them are summed before the totals take the sum;
    /// 0 when that is all the same.
    struct Part {
        std::size_t most_samples;
        std::size_t run;
    };
    Tiles tiles;
    std::size_t rows_of_a_load; ///< rows of one z are padded to a multiple
    std::vector<Part> parts; ///< the last one takes what is left
};
constexpr std::size_t all_samples = std::numeric_limits<std::size_t>::max();

/// In local memory, in floats, for any GPU: kernels/separable_local.cl.
TiledProduct local_product(const Parameters& parameters, std::size_t columns,
                           std::size_t local_bytes);
/// In local memory, in doubles, for GPUs whose matrix units have them: kernels/separable_matrix.cl.
TiledProduct matrix_product(const Parameters& parameters, std::size_t columns,
                            const DeviceInfo& device);

CoilMatrix separable_tiled(Queue& queue, const TiledProduct& product, const SeparableWork& work);

/// The same for F: the samples have no values.
struct ForwardWork {
    const LatticeSamples& samples;
    const CoilMatrix& rho;
    const Voxels& voxels;
    const Progress& progress;
};
CoilMatrix forward_private(Queue& queue, const ForwardWork& work); ///< separable_forward.cl

/// Files with kernels `factors_rows` and `forward`. Columns are samples, terms are x.
Tiles local_forward(const Parameters& parameters, std::size_t samples,
                    std::size_t local_bytes); ///< separable_forward_local.cl
Tiles matrix_forward(const Parameters& parameters, std::size_t samples,
                     const DeviceInfo& device); ///< separable_forward_matrix.cl
CoilMatrix forward_tiled(Queue& queue, const Tiles& tiles, const ForwardWork& work);

} // namespace lsrecon::opencl
