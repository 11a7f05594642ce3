#pragma once

#include <string>

#include "base/report.hpp"
#include "scan/image.hpp"
#include "solve/conjugate_gradient.hpp"
#include "solve/normal_equations.hpp"

namespace lsrecon {

struct Solved {
    CoilMatrix rho; ///< one row a problem
    ResidualHistories residuals;
    std::vector<Stop> stops; ///< one a problem
    std::string solver; ///< what solved, in which precision, with which FFT
};

/// Solves (F^H F + lambda Q(0) I) rho = F^H d for every row of `fhd`: on the device when the
/// equations are there and its precision can keep the tolerance, else by Eigen in double
/// precision, with a note when the device was to solve. ToleranceError when neither can.
Solved solve(NormalEquations& equations, const CoilMatrix& fhd, const SolveOptions& options,
             Reporter& report);

/// The same on the device alone: see System::solve for its errors.
Solved solve_on_device(System& system, const CoilMatrix& fhd, const SolveOptions& options,
                       Reporter& report);

/// The solution of a single problem as it is; of several (coils without maps) their root of sum of
/// squares, sqrt(sum_c |rho_cn|^2), with zero imaginary part.
ImageFrame to_image(const Frame& frame, const Solved& solved);

/// What solved the frames, for the record.
std::string solvers_of(const Image& image);

} // namespace lsrecon
