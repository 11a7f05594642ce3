// The forms of the separable transform, whose parameter FORM says where its products are made.

#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "base/content_store.hpp"
#include "engines/opencl/lattice_samples.hpp"
#include "engines/transform.hpp"
#include "engines/tuning.hpp"

namespace lsrecon::opencl {

/// Values of the parameter FORM: in private memory, for CPUs; in local memory, for any GPU; in
/// local memory, by matrix units that have doubles.
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

/// Keeps the factors of a trajectory for another scan.
struct FactorStore {
    ContentStore* store; ///< or null
    const std::vector<Vec3>& positions;
};
/// The product in private memory, for CPUs: kernels/separable.cl. `most_bytes` is what the totals
/// of one block of the volume may take. Factors are those that another scan has left, where it has.
void separable_private(const Parameters& parameters, const SeparableWork& work,
                       std::size_t most_bytes, const FactorStore& kept);

/// The product in local memory, by kernels/separable_local.cl or separable_matrix.cl.
void separable_tiled(Form form, const Parameters& parameters, const SeparableWork& work,
                     std::size_t most_bytes);

/// The forward transform F in private memory: kernels/separable_forward.cl.
void forward_private(const SeparableWork& work);
/// F in local memory, by kernels/separable_forward_local.cl or separable_forward_matrix.cl.
void forward_tiled(Form form, const Parameters& parameters, const SeparableWork& work);

} // namespace lsrecon::opencl
