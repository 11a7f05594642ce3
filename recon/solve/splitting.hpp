#pragma once

#include <functional>

#include "device/volume.hpp"
#include "operators/cosine_preconditioner.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/regularisers.hpp"

namespace lsrecon {

/// 1/2 x^H A x - Re(b^H x) + the terms.
struct SplitProblem {
    SelfAdjoint& a;
    std::vector<const RegulariserTerm*> terms; ///< none of them quadratic
    const Volume& b;
    double scale; ///< s of the terms, such as the largest |b|
    /// Near the inverse of A, to precondition, or null; it gets the weights of the terms.
    CosinePreconditioner* inverse = nullptr;
};

/// Minimises it by the alternating direction method of multipliers (Boyd et al. 2011) around
/// conjugate gradients: from x = 0, on arrays of the device. The residuals of the solution are the
/// larger of the primal and the dual one, relative, after each of its iterations. ToleranceError
/// when they stop being finite, or when the precision cannot keep the tolerance.
Solution split_solve(Device& device, Precision precision, const SplitProblem& problem,
                     const SolveOptions& options, const std::function<void(double)>& progress);

} // namespace lsrecon
