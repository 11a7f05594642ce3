// The energy of samples, and how much of it can be noise.

#pragma once

#include "scan/scan.hpp"

namespace lsrecon {

/// ||W^1/2 d||^2 of the samples of all coils.
double energy_of(const Trajectory& trajectory, const CoilRows& samples);

/// An upper estimate of the noise in sum_c |d_cm|^2 of one sample on average, from the samples at
/// the edge of k-space and from the quietest ones, where signal adds least. Zeros do not count as
/// samples. It was 1.0 to 1.4 times the noise at an SNR of 5 to 8, and up to 10 % of the samples'
/// energy where there was next to no noise (simulated scans, docs/maths.md).
double most_energy_of_noise(const Trajectory& trajectory, const CoilRows& samples);

} // namespace lsrecon
