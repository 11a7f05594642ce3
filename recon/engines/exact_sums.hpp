// F and F^H at a few points in doubles: what engines that are not exact are compared with.

#pragma once

// Exact sums in double precision at a few points.

#include <array>
#include <functional>
#include <vector>

#include "scan/voxels.hpp"

namespace lsrecon {

// The core of exact sums in double precision: some points, side by side in vectors, over a block of
// sources.

/// A sample or a voxel in a phase: k or x, then the time of a sample twice, the second 0 where
/// nothing decays, or the field of a voxel in Hz and its rate of decay. The first four products of
/// two of them add up to turns; that of the last is what decays.
using PhasePoint = std::array<double, 5>;
PhasePoint phase_point(const SamplePoints& points, const OffResonance* off_resonance,
                       std::size_t m);
PhasePoint phase_point(const Voxels& voxels, const OffResonance* off_resonance, std::size_t n);

/// The number of points side by side.
constexpr std::size_t exact_lanes = 16;
using Lanes = std::array<double, exact_lanes>;

struct PointLanes {
    std::array<Lanes, 5> at = {};
    bool decays = false;
};
/// `count` points; those behind the last are at 0.
std::vector<PointLanes> in_lanes(std::size_t count,
                                 const std::function<PhasePoint(std::size_t)>& point);

/// Sources and their values, all coils of one after the other.
struct ExactSources {
    std::vector<PhasePoint> at;
    std::vector<Complex> values;
};

/// sums_c += sum_s value_cs exp(i 2 pi source_s . point): the real parts of a coil, then its
/// imaginary ones, and so on.
void add_exact_block(const ExactSources& sources, const Range& range, const PointLanes& points,
                     std::vector<Lanes>& sums);

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
