#pragma once

#include "operators/q.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The relative L2 error of `all` values of this norm, by the squares of the errors at random ones
/// of them. The mean of these squares has no bias. `upper` takes it for a sum of squares of normal
/// numbers, of so many degrees of freedom as the squares' own variance says (Satterthwaite 1946).
SampledError sampled_error(const std::vector<double>& squares, double all, double norm);

/// Of F^H d, at random voxels: C x M samples, C x N coil maps or none, one volume a problem.
void sample_fhd(const Sampling& sampling, const CoilRows& samples, const CoilRows& coil_maps,
                const Voxels& voxels, const std::vector<Volume>& fhd, SampledErrors& errors);
/// Of sample_fhd, and of sample_q for one coil.
double seconds_of_samples(const Pace& pace, std::size_t coils, std::size_t samples);
/// Of Q, at random differences of two voxels.
void sample_q(const Sampling& sampling, const Q& q, SampledErrors& errors);

/// The error of one side of (N + lambda) rho = F^H d / Q(0) against the other, relative to F^H d,
/// by each estimate or each bound (docs/maths.md). `gain` is ||F^H d|| / (Q(0) ||rho||).
SampledError error_of_equations(const SampledErrors& errors, double gain);

/// F^H d with errors of this relative size, in directions that were drawn.
std::vector<Volume> with_errors(const std::vector<Volume>& fhd, double relative);

} // namespace lsrecon
