#pragma once

#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// The relative error of the image of these iterations, by an error of b, relative to it, that is
/// spread over all of `unknowns` directions (docs/maths.md).
double error_of_iterations(const Iterations& run, double lambda, double error,
                           std::size_t unknowns);

} // namespace lsrecon
