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

/// The same from tenth differences of samples that follow each other, which hold little signal
/// where readouts are oversampled. It was 1.0 to 1.3 times the noise of spirals and cones at an SNR
/// of 20 to 100, and 1.0 to 2.1 times that of Cartesian lines and of twofold oversampled spokes. It
/// is too high where samples are 1 cycle/FOV apart or follow each other at random, and too low
/// where they were interpolated.
double energy_of_noise_along_readouts(const CoilRows& samples);

} // namespace lsrecon
