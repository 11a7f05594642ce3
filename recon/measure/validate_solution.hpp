#pragma once

#include <random>

#include "solve/conjugate_gradient.hpp"
#include "solve/system.hpp"

namespace lsrecon {

/// The image after a few iterations of conjugate gradients, and what errors make of it.
///
/// Converged solutions cannot be compared: where a scan determines its image badly, they take
/// hundreds of iterations, and two correct programs differ. After a few iterations an image is a
/// smooth function of the operator and of b, whose sensitivity can be measured.
struct FewIterations {
    SolveOptions options; ///< that make it again
    ComplexVector x;
    double residual = 0; ///< ||b - A x|| / ||b||
    /// How far x moves, relative to its norm, when every product with A and b are wrong by the
    /// errors of the transforms, or of the solver alone, in random directions.
    double moved_by_transforms = 0;
    double moved_by_solver = 0;
};

struct PermittedErrors {
    double of_transforms; ///< of products and b, relative
    double of_solver; ///< of products alone that are made of the same Q
    double tolerance; ///< the smallest that the solver can be asked for
};

/// As many iterations, up to five, as keep what the errors move small, and as stay above the
/// tolerance, so that another program does the same number.
FewIterations few_iterations(System& normal, const ComplexVector& b, double lambda,
                             const PermittedErrors& errors, std::mt19937_64& random);

} // namespace lsrecon
