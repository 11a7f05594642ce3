#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "base/content_store.hpp"
#include "engines/opencl/lattice_samples.hpp"
#include "engines/transform.hpp"
#include "engines/tuning.hpp"

namespace lsrecon::opencl {

/// Values of the parameter FORM.
enum class Form { in_private = 0, local = 1, matrix = 2 };

/// The arguments that all forms of the separable transform share.
struct SeparableWork {
    const Resources& resources;
    const LatticeSamples& samples;
    const Voxels& voxels;
    const Array& in; ///< a row a coil: values of samples, or of voxels for F
    Array& out;
    const Progress& progress;

    /// The number of coils in `in`, and so in `out`.
    std::size_t coils(std::size_t row) const { return in.count() / row; }
};

/// Columns that an item of the form in private memory computes together: what a register of a CPU
/// holds.
constexpr std::size_t lanes_of(Precision precision) {
    return 64 / bytes_of(precision);
}

/// The place where the factors of a trajectory may be left for another scan.
struct FactorStore {
    ContentStore* store; ///< or null
    const std::vector<Vec3>& trajectory;
};
/// The product in private memory, for CPUs: kernels/separable.cl. `most_bytes` is what the totals
/// of one block of the volume may take. Factors are those that another scan has left, where it has.
void separable_private(const Parameters& parameters, const SeparableWork& work,
                       std::size_t most_bytes, const FactorStore& kept);

/// The division of a product by a kernel file: each work-group has some rows and columns of it.
struct Tiles {
    const char* file;
    std::string defines;
    std::size_t rows;
    std::size_t columns;
    std::size_t items; ///< items of a work-group
    std::size_t step; ///< terms of a sum that stand in local memory at a time
    std::size_t total_bytes; ///< bytes of one real sum as it is kept
};

/// A file with kernels `factors`, `product` and `finish`. Columns are x, terms are samples.
struct TiledProduct {
    /// Consecutive samples, and the length of their runs; 0 where the kernel has none, because it
    /// sums in doubles.
    struct Part {
        std::size_t most_samples;
        std::size_t run;
    };
    Tiles tiles;
    std::size_t rows_of_a_load; ///< rows of one z are padded to a multiple
    std::vector<Part> parts; ///< the last one takes what is left
};
constexpr std::size_t all_samples = std::numeric_limits<std::size_t>::max();

/// The product in local memory, in the transform's precision, for any GPU:
/// kernels/separable_local.cl.
TiledProduct local_product(const Parameters& parameters, std::size_t columns,
                           const Resources& resources);
/// The product in local memory, in doubles, for GPUs whose matrix units have them:
/// kernels/separable_matrix.cl.
TiledProduct matrix_product(const Parameters& parameters, std::size_t columns,
                            const Resources& resources);

void separable_tiled(const TiledProduct& product, const SeparableWork& work,
                     std::size_t most_bytes);

/// The forward transform F in private memory.
void forward_private(const SeparableWork& work); ///< separable_forward.cl

/// Files with kernels `factors_rows`, `forward` and `finish`. Columns are samples, terms are x.
Tiles local_forward(const Parameters& parameters, std::size_t samples,
                    const Resources& resources); ///< separable_forward_local.cl
Tiles matrix_forward(const Parameters& parameters, std::size_t samples,
                     const Resources& resources); ///< separable_forward_matrix.cl
void forward_tiled(const Tiles& tiles, const SeparableWork& work);

} // namespace lsrecon::opencl
