#pragma once

#include "base/report.hpp"
#include "scan/image.hpp"
#include "solve/conjugate_gradient.hpp"
#include "stages/gram.hpp"

namespace lsrecon {

struct Solved {
    CoilMatrix rho; ///< one row a problem
    ResidualHistories residuals;
};

/// Solves (F^H F + lambda Q(0) I) rho = F^H d for every row of `fhd`.
Solved solve(const NormalOperator& normal, const CoilMatrix& fhd, const SolveOptions& options,
             Reporter& report);

/// The solution of a single problem as it is; of several (coils without maps) their root of sum of
/// squares, sqrt(sum_c |rho_cn|^2), with zero imaginary part.
ImageFrame to_image(const Frame& frame, const Solved& solved);

} // namespace lsrecon
