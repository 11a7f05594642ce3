// Conjugate gradients, on a device and by Eigen, with the options and results of all solvers.

#pragma once

#include <functional>
#include <vector>

#include "base/computation.hpp"
#include "base/types.hpp"
#include "device/volume.hpp"
#include "operators/operator.hpp"
#include "operators/regularisers.hpp"

namespace lsrecon {

/// The state of a solver that it reports while it runs.
struct Iteration {
    std::size_t problem = 0; ///< index among the right-hand sides of a frame
    std::size_t done = 0; ///< iterations before this residual
    double residual = 0; ///< relative, as the solver's own recurrence has it
    template <typename Archive> void each(Archive& archive) { archive(problem, done, residual); }
};

/// Called with every residual.
using Monitor = std::function<void(const Iteration&)>;

struct Method; // encoding/methods.hpp
struct Solver; // encoding/solve.hpp
struct DensityMethod; // scan/density.hpp

struct SolveOptions {
    double lambda = 0; ///< weight of Q(0) I beside F^H F
    int iterations = 15; ///< at most; stopping early keeps noise out (docs/maths.md)
    /// Limit of ||b - A x|| / ||b||; solved to a tenth of it (decision 0006).
    double tolerance = 1e-4;
    const Solver* solver = nullptr; ///< a row of solvers(); null for the first
    std::vector<RegulariserChoice> regularisers = {}; ///< beside lambda
    bool precondition = false; ///< whether conjugate gradients on the device are preconditioned
    Monitor monitor = nullptr;
    double image_tolerance = 0.01; ///< limit of the image's error by rounding: more is a note
    bool looks_ahead = false; ///< Iterations::next_alpha, for one more product
    const Method* method = nullptr; ///< a row of methods(); null for the first
    const DensityMethod* density = nullptr; ///< density method of gridding; null for the first
    /// Whether weights were chosen: an image that passes still change by a few per cent is as
    /// meant.
    bool is_chosen = false;
    /// Whether splitting goes on after its iterations where they still change the image.
    bool settles = false;
};

/// The coefficients of conjugate gradients without preconditioner: Lanczos' tridiagonal matrix of A
/// in the Krylov space of b.
struct Iterations {
    std::vector<double> alphas;
    std::vector<double> betas; ///< after each
    double next_alpha = 0; ///< alpha of one more iteration; 0 where it was not asked for
};

struct Solution {
    ComplexVector x;
    /// Relative residual before each iteration and after the last; the first is 1.
    std::vector<double> residuals;
    Stop stop;
    /// x before its late iterations (solve/residuals.hpp); empty when the tolerance ended them,
    /// and by Eigen.
    ComplexVector earlier = {};
    Iterations run = {}; ///< without preconditioner on the device; else none
};

/// Solves A x = b for Hermitian positive A, given as a function, by Eigen::ConjugateGradient from
/// x = 0 without preconditioner. Stops at the tolerance or after the iterations, whichever is
/// first. ToleranceError when the residual diverges or stops being finite.
Solution conjugate_gradient(const std::function<ComplexVector(const ComplexVector&)>& apply,
                            const ComplexVector& b, const SolveOptions& options);

/// The smallest --tolerance that arithmetic of this unit roundoff can keep: 1e-5 in single
/// precision, measured (docs/maths.md), and as many roundings in double precision.
constexpr double smallest_tolerance(double epsilon) {
    constexpr double roundings = 167;
    return roundings * epsilon;
}

/// ToleranceError when this precision cannot keep the tolerance.
void require_tolerance(double tolerance, Precision precision);

/// Solves A x = b for Hermitian positive A by conjugate gradients from x = 0, on arrays of the
/// device; `inverse`, or null, preconditions. Stops at the tolerance or after the iterations,
/// whichever is first. The last residual of the history is the true one, ||b - A x|| / ||b|| by one
/// more product, because the residual of the recurrence goes on falling where rounding stops the
/// true one.
/// ToleranceError when the residual diverges or stops being finite, when A is not positive, or when
/// the recurrence ends the iterations and the true residual is above the tolerance.
Solution conjugate_gradient(Device& device, SelfAdjoint& a, Precision precision,
                            SelfAdjoint* inverse, const Volume& b, const SolveOptions& options);
/// Adds such a solution to an array of the device.
void add_solution(Device& device, SelfAdjoint& a, Precision precision, SelfAdjoint* inverse,
                  const Volume& b, const SolveOptions& options, Array& sum);
/// The image of another b by the iterations of a solve without preconditioner: the polynomial in A
/// that they were, applied to b.
ComplexVector repeated(Device& device, SelfAdjoint& a, Precision precision, const Volume& b,
                       const Iterations& run);
Cost cost_of_conjugate_gradient(std::size_t voxels, Precision precision, bool preconditioned);

} // namespace lsrecon
