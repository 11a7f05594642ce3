#pragma once

#include "device/volume.hpp"
#include "operators/operator.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// Conjugate gradients on A x = b from x = 0 without preconditioner, some iterations at a time: for
/// the sake of their coefficients, which are those of Lanczos (ShiftedForms). Several that go on in
/// turn do what each would do alone.
class PlainRun {
public:
    /// Hermitian positive A on arrays of the device; both must outlive it. x is left out of a run
    /// that `keeps_image` is false of.
    PlainRun(Device& device, SelfAdjoint& a, Precision precision, const Volume& b,
             bool keeps_image);

    /// Goes on until it has so many iterations in all, or the relative residual of the recurrence
    /// is below `target`. ToleranceError when the residual diverges or stops being finite, or when
    /// A is not positive.
    void go_on(int iterations, double target);
    const Iterations& coefficients() const { return coefficients_; }
    double squares() const { return norm_ * norm_; } ///< ||b||^2
    ComplexVector image() const; ///< x

private:
    Device& device_;
    SelfAdjoint& a_;
    double norm_;
    Array x_; ///< of b / ||b||; empty where it is left out
    Array r_;
    Array p_;
    Array a_p_;
    double square_ = 0; ///< ||r||^2
    Iterations coefficients_;
};

} // namespace lsrecon
