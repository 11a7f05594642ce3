// The sampled error of F^H d and Q, and of the image that is made of them.

#pragma once

#include <future>

#include "encoding/normal_operator.hpp"
#include "scan/image.hpp"

namespace lsrecon {

/// The relative L2 error of `all` values of this norm, by the squares of the errors at random ones
/// of them. The mean of these squares has no bias. `upper` takes it for a sum of squares of normal
/// numbers, of so many degrees of freedom as the squares' own variance says (Satterthwaite 1946).
ErrorEstimate error_estimate(const std::vector<double>& squares, double all, double norm);

/// Voxels of a slice at which F^H d of each of its frames is computed exactly. They are drawn, with
/// repetitions, in proportion to sum_c |S_c|^2: F^H mu_c is equally wrong at all voxels, and F^H d
/// is 0 where the maps are.
struct DrawnVoxels {
    std::vector<std::size_t> at; ///< below S N
    std::vector<double> weights; ///< 1 / (N p) of each, which has the probability p
    /// The number of voxels over which errors of F^H d are spread; N without maps.
    double unknowns = 0;
};
/// Draws the same voxels on every platform. `coil_maps` are C x S N, or empty; `voxels` is N.
DrawnVoxels draw_voxels(const CoilRows& coil_maps, std::size_t voxels);

/// F^H of C x M samples at as many of the drawn voxels as take some 10 ms, C x points, by exact
/// sums. `voxels` are those of a volume.
CoilMatrix exact_fhd(const Trajectory& trajectory, const CoilRows& samples, const Voxels& voxels,
                     const DrawnVoxels& drawn);
/// The sampled errors of F^H d, by exact_fhd() of its samples. `coil_maps` are C x S N or empty;
/// `fhd` holds one volume a problem.
Certificate certify_fhd(const CoilMatrix& exact, const CoilRows& coil_maps,
                        const DrawnVoxels& drawn, const std::vector<Volume>& fhd);
/// The time that exact_fhd() takes; for one coil, it is that of sampling the errors of Q.
double seconds_to_certify(const MachineModel& machine, std::size_t coils, std::size_t samples);

/// Holds F^H d and Q of one trajectory against exact sums, which processors compute beside what the
/// device does.
class Certifier {
public:
    /// Begins the exact sums of Q. All must outlive it.
    Certifier(const Encoding& encoding, const NormalOperator& n, const DrawnVoxels& drawn);

    /// Begins exact_fhd() of samples. They and this must outlive the result.
    std::future<CoilMatrix> exact(const CoilRows& samples) const;
    /// The errors of F^H d by exact() of its samples, and those of Q; where F and F^H multiply,
    /// those of F^H d stand for theirs, since F is as wrong as its adjoint.
    Certificate of(const CoilMatrix& exact, const std::vector<Volume>& fhd) const;
    /// The number of voxels over which errors of F^H d are spread.
    std::size_t unknowns() const;

private:
    const Encoding& encoding_;
    const DrawnVoxels& drawn_;
    std::shared_future<Certificate> of_q_; ///< by what asks first; none where F and F^H multiply
};

/// The error of one side of (N + lambda) rho = F^H d / Q(0) against the other, relative to F^H d,
/// by each estimate or each bound (docs/maths.md). `gain` is ||F^H d|| / (Q(0) ||rho||).
ErrorEstimate error_of_equations(const Certificate& errors, double gain);

/// F^H d with errors of this relative size, in directions that were drawn.
std::vector<Volume> with_errors(const std::vector<Volume>& fhd, double relative);

} // namespace lsrecon
