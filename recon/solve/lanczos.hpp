// Plain conjugate gradients as a Lanczos process: a run that can go on, the solutions of all shifts
// by its coefficients, and how errors of the right-hand side grow in its image.

#pragma once

#include <vector>

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
    /// Adds so many times x to an array of the device.
    void add_to(double factor, Array& sum) const;

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

/// Inner products and norms of x = (A + shift)^-1 b for every shift, from one run of conjugate
/// gradients without preconditioner. The coefficients of the run are Lanczos' tridiagonal matrix T
/// of A in the Krylov space of b, and b^H f(A) b = ||b||^2 (f(T))_11 is a Gauss quadrature (Golub
/// and Meurant 2010, Matrices, Moments and Quadrature, chapters 6 and 15). No shift needs another
/// product with A.
class ShiftedForms {
public:
    /// A run on A + shift, whose right-hand side has the square `squares`; `shift` is the smallest
    /// that can be asked for.
    ShiftedForms(const Iterations& run, double squares, double shift);

    struct Forms {
        double b_x = 0; ///< Re <b, x>
        double x_x = 0; ///< ||x||^2
        double residual = 0; ///< ||b - (A + shift) x|| / ||b|| of the run for this shift
    };
    /// The forms of the iterate that conjugate gradients on A + shift reach after as many
    /// iterations.
    Forms at(double shift) const;

private:
    double squares_;
    double shift_;
    std::vector<double> diagonal_; ///< diagonal of T + shift
    std::vector<double> beside_; ///< what is beside it, and the next one of a longer run
};

/// The largest factor by which an error of F^H d grows in Q(0) rho; both are relative to F^H d.
struct Amplification {
    /// The factor of errors that lie as F^H of errors of the samples does, as those of its terms
    /// do: they are small where the scan measured little.
    double of_terms = 0;
    double of_any = 0;
};
/// The amplification of the solution with this lambda.
Amplification amplification_by(double lambda);

/// The sensitivity of the image of iterations to an error of F^H d (docs/maths.md).
class Sensitivity {
public:
    /// `run` holds one or more plain iterations on A / Q(0) + lambda.
    Sensitivity(Iterations run, double lambda);

    /// The amplification of the solution's polynomial that these iterations chose.
    Amplification amplification() const;
    /// The change of the image, relative to it, when an error of this size, spread over all of
    /// `unknowns` directions, moves the choice of the polynomial.
    double change(double error, std::size_t unknowns) const;

private:
    double polynomial(double eigenvalue) const;
    RealVector image_of(RealVector b) const;

    Iterations run_;
    double lambda_;
    RealVector values_; ///< Ritz values of one more iteration, and
    RealVector b_; ///< F^H d in their directions, of norm 1
    RealVector x_;
};

} // namespace lsrecon
