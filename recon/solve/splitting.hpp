#pragma once

#include <functional>

#include "device/volume.hpp"
#include "operators/circulant.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/regularisers.hpp"

namespace lsrecon {

/// Minimises 1/2 x^H A x - Re(b^H x) + the terms, none of them quadratic, where s is the largest
/// |b|, by the alternating direction method of multipliers (Boyd et al. 2011) around conjugate
/// gradients: from x = 0, on arrays of the device. The residuals of the solution are the larger of
/// the primal and the dual one, relative, after each of its iterations. `inverse`, or null,
/// preconditions; it gets the weights of the terms. ToleranceError when they stop being finite, or
/// when the precision cannot keep the tolerance.
Solution split_solve(Device& device, SelfAdjoint& a,
                     const std::vector<const RegulariserTerm*>& terms, Precision precision,
                     Circulant* inverse, const Volume& b, const SolveOptions& options,
                     const std::function<void(double)>& progress);

} // namespace lsrecon
