#pragma once

#include <functional>

#include "scan/voxels.hpp"

namespace lsrecon {

/// The value of a coil at a sample.
using ValueAt = std::function<Complex(std::size_t coil, std::size_t m)>;

/// sum_m value_cm exp(+i 2 pi k_m . x_n) at a few voxels, C x N, in double precision on all cores,
/// off resonance where the voxels are and the samples have times: what a fast transform is held
/// against. Relative L2 error: that of base/tolerance.hpp, `reference`. The order of the sums does
/// not depend on the number of cores.
CoilMatrix exact_adjoint(const SamplePoints& points, std::size_t coils, const ValueAt& value,
                         const Voxels& voxels);

/// The number of voxels at which exact_adjoint takes so many multiply-adds; a whole number of
/// vectors.
std::size_t voxels_of_exact_sums(double multiply_adds, std::size_t coils, std::size_t samples);

} // namespace lsrecon
