// The penalty on an image that is not nearly real once a smooth phase is taken out.

#pragma once

#include "base/types.hpp"
#include "operators/operator.hpp"

namespace lsrecon {

/// How real an image is: with rho = p (u + i v) of phase factors p, the penalty is
///
///     weight / 2 (share ||u||^2 + ||v||^2)
struct Symmetry {
    ComplexVector squares; ///< p^2 of each voxel, 0 where no phase is known
    double share = 0; ///< 0 to 1; with 1 the phase is of no use
    double weight = 0; ///< relative to Q(0)
};

/// K rho = p (sqrt(share) u + i v) = (1 + s) / 2 rho - (1 - s) / 2 p^2 conj(rho), s = sqrt(share).
/// It is linear over the reals alone, and its own adjoint in the real part of the inner product,
/// which is the only one that conjugate gradients use.
class TowardsReal : public SelfAdjoint {
public:
    /// The device must outlive it.
    TowardsReal(Device& device, Precision precision, const Symmetry& symmetry);

    std::size_t inputs() const override { return squares_.count(); }
    void apply(const Array& in, Array& out) override;

private:
    Device& device_;
    double root_; ///< of share
    Array squares_;
    Array conjugate_; ///< p^2 conj(rho)
};

} // namespace lsrecon
