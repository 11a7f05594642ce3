#pragma once

#include <vector>

#include "base/report.hpp"
#include "engines/piecewise.hpp"
#include "operators/coil_maps.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// w_m sum_c |(F rho - d)_cm|^2 of each sample, M, in a.u.^2, from the forward transform of one
/// image with coil maps, or of one a coil without. What the samples have in common with F rho
/// cancels before anything is squared, so that the relative error is that of F times ||F rho|| over
/// the residual's norm; the equal sum ||d||^2 - 2 Re<rho, F^H d> + <rho, T rho> would lose twice as
/// many digits.
Eigen::VectorXd compute_misfits(Transforms& transforms, PiecewiseTransform& transform,
                                const Sampling& sampling, const CoilRows& samples, CoilMaps& maps,
                                const std::vector<ComplexVector>& images, Listener listener);

/// ||W^1/2 d||^2 of the samples of all coils.
double energy_of(const Sampling& sampling, const CoilRows& samples);

/// An upper estimate of the noise in sum_c |d_cm|^2 of one sample on average, from the samples at
/// the edge of k-space and from the quietest ones, where signal adds least. Zeros do not count as
/// samples. It was 1.0 to 1.4 times the noise at an SNR of 5 to 8, and up to 10 % of the samples'
/// energy where there was next to no noise (simulated scans, docs/maths.md).
double most_energy_of_noise(const Sampling& sampling, const CoilRows& samples);

} // namespace lsrecon
