#pragma once

#include <optional>

#include "operators/q.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The relative L2 error of `all` values of this norm, by the squares of the errors at random ones
/// of them. The mean of these squares has no bias. `upper` takes it for a sum of squares of normal
/// numbers, of so many degrees of freedom as the squares' own variance says (Satterthwaite 1946).
ErrorEstimate error_estimate(const std::vector<double>& squares, double all, double norm);

/// Voxels of a place at which F^H d of each of its frames is computed exactly. They are drawn, with
/// repetitions, in proportion to sum_c |S_c|^2: F^H mu_c is wrong alike at all voxels, and F^H d is
/// 0 where the maps are.
class DrawnVoxels {
public:
    /// `coil_maps` are C x N and must outlive this object, or are empty.
    DrawnVoxels(const CoilRows& coil_maps, std::size_t voxels)
        : coil_maps_(coil_maps), voxels_(voxels) {}

    struct Draw {
        std::vector<std::size_t> at;
        std::vector<double> weights; ///< 1 / (N p) of each, which has the probability p
        /// The number of voxels over which errors of F^H d are spread; N without maps.
        double unknowns;
    };
    /// The drawn voxels, the same on every platform; they are drawn on the first call.
    const Draw& draw();

private:
    const CoilRows& coil_maps_;
    std::size_t voxels_;
    std::optional<Draw> draw_;
};

/// The sampled errors of F^H d at the drawn voxels. `samples` are C x M, `coil_maps` C x N or
/// empty; `fhd` holds one volume a problem.
Certificate certify_fhd(const Sampling& sampling, const CoilRows& samples,
                        const CoilRows& coil_maps, const Voxels& voxels,
                        const DrawnVoxels::Draw& drawn, const std::vector<Volume>& fhd);
/// The time that certify_fhd takes, and for one coil that of certify_q.
double seconds_to_certify(const Pace& pace, std::size_t coils, std::size_t samples);
/// Adds the sampled errors of Q, measured at random differences of two voxels.
void certify_q(const Sampling& sampling, const Q& q, Certificate& errors);

/// The error of one side of (N + lambda) rho = F^H d / Q(0) against the other, relative to F^H d,
/// by each estimate or each bound (docs/maths.md). `gain` is ||F^H d|| / (Q(0) ||rho||).
ErrorEstimate error_of_equations(const Certificate& errors, double gain);

/// F^H d with errors of this relative size, in directions that were drawn.
std::vector<Volume> with_errors(const std::vector<Volume>& fhd, double relative);

} // namespace lsrecon
