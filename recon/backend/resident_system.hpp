#pragma once

#include <string>

#include "base/types.hpp"

namespace lsrecon {

/// The normal equations A x = b of one sampling,
///
///     A = sum_c S_c^H T S_c + shift I        (T + shift I without coil maps),
///
/// with the vectors of conjugate gradients, resident on a device in its own precision. Between
/// load and solution only what iterate returns leaves the device. It must not outlive its backend.
/// DeviceError when the device fails.
class ResidentSystem {
public:
    virtual ~ResidentSystem() = default;

    /// Arithmetic and FFT, for the record.
    virtual std::string description() const = 0;

    /// Unit roundoff of its arithmetic.
    virtual double epsilon() const = 0;

    /// A x, N. Leaves the iteration as it is.
    virtual ComplexVector apply(const ComplexVector& x) = 0;

    /// x = 0, r = p = b. b is not zero and finite.
    virtual void load(const ComplexVector& b) = 0;

    struct Step {
        double residual; ///< ||r|| / ||b|| after the step, of the recurrence
        double curvature; ///< p^H A p before it, relative to Q(0) ||b||^2
    };
    /// One iteration: alpha = r^H r / p^H A p, x += alpha p, r -= alpha A p,
    /// beta = r^H r now / r^H r before, p = r + beta p. Repeated runs give identical bits.
    virtual Step iterate() = 0;

    /// x, N.
    virtual ComplexVector solution() = 0;
};

} // namespace lsrecon
