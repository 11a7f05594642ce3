#pragma once

#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// By what an error of F^H d, relative to it, is multiplied in rho Q(0), relative to F^H d.
struct Amplification {
    /// Of errors that lie as F^H of errors of the samples does, as those of its terms are: they are
    /// small where the scan measured little.
    double of_terms = 0;
    double largest = 0; ///< of errors in the direction that is amplified most
};
Amplification amplification_by(double lambda); ///< of the converged solution
Amplification amplification_by(const Iterations& run, double lambda);

/// How far a relative error of b, spread over all of `unknowns` directions, moves the iterations
/// themselves: relative to their image.
double change_of_iterations(const Iterations& run, double error, std::size_t unknowns);

} // namespace lsrecon
