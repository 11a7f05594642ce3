#pragma once

#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

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
