#pragma once

#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// By what an error of F^H d, relative to it, is multiplied in Q(0) rho, relative to F^H d, at
/// most.
struct Amplification {
    /// Of errors that lie as F^H of errors of the samples does, as those of its terms do: they are
    /// small where the scan measured little.
    double of_terms = 0;
    double of_any = 0;
};
/// Of the solution with this lambda.
Amplification amplification_by(double lambda);

/// How sensitive the image of iterations is to an error of F^H d (docs/maths.md).
class Sensitivity {
public:
    /// Of plain iterations, one or more, on A / Q(0) + lambda.
    Sensitivity(Iterations run, double lambda);

    /// Of the solution's polynomial that these iterations chose.
    Amplification amplification() const;
    /// How far an error of this size, spread over all of `unknowns` directions, moves the choice:
    /// relative to the image.
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
