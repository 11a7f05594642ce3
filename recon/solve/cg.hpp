#pragma once

#include "base/computation.hpp"
#include "device/volume.hpp"
#include "operators/operator.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

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
Cost cost_of_conjugate_gradient(std::size_t voxels, Precision precision, bool preconditioned);

} // namespace lsrecon
