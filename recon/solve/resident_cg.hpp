#pragma once

#include "backend/resident_system.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// The smallest --tolerance that a system of this unit roundoff can keep: 1e-5 in single precision,
/// measured (docs/maths.md), and as many roundings in double precision.
constexpr double smallest_tolerance(double epsilon) {
    constexpr double roundings = 167;
    return roundings * epsilon;
}

/// Solves A x = b by conjugate gradients on a device from x = 0, with the stopping rules of
/// conjugate_gradient. The last residual of the history is the true one, ||b - A x|| / ||b|| by
/// one more product, because the recurrence goes on falling where rounding ends it.
/// ToleranceError when the residual diverges or stops being finite, when A is not positive, or
/// when the recurrence ends the iterations and the true residual is above the tolerance.
Solution resident_conjugate_gradient(ResidentSystem& system, const ComplexVector& b,
                                     const SolveOptions& options,
                                     const std::function<void(double)>& progress);

} // namespace lsrecon
