#pragma once

#include <optional>

#include "encoding/encoding.hpp"
#include "operators/preconditioner.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

/// What of SolveOptions the user gives.
struct SolveEffort {
    std::optional<int> iterations;
    std::optional<double> tolerance;
    std::optional<bool> precondition;
};

/// What is right where the user gives nothing (scripts/study_iterations.py):
constexpr int iterations_of_splitting = 24; ///< with a regulariser that is not quadratic
/// A solve converges if lambda or a quadratic regulariser keeps noise out, and not stopping early.
/// The image is then within a percent of the converged one. The residual understates its error by
/// up to 1 / lambda.
constexpr int iterations_to_converge = 300;
constexpr double tolerance_over_lambda = 1e-4;
constexpr double tolerance_without_lambda = 1e-6; ///< with a quadratic regulariser alone

/// The solve stops early if its products take transforms. `epsilon` is the unit roundoff of the
/// solver. UsageError for a preconditioner where there is no choice: splitting has one always,
/// Eigen's conjugate gradients and products that are not one convolution never.
SolveOptions with_effort(SolveOptions options, const SolveEffort& effort, Products products,
                         double epsilon);

/// Iterations of conjugate gradients until the tolerance of a regularised solve is reached, at most
/// those of the options: 8 / sqrt(lambda), and a usual number for a regulariser without lambda. 15
/// scans took 0.6 to 2.8 times that with lambda 0.1, and 0.6 to 2.3 times with 0.01.
int expected_iterations(const SolveOptions& options, double lambda);

/// The accuracy of transforms that are not exact by which the bound of the image's error is at most
/// `tolerance` (docs/maths.md), within what this precision can keep. lambda is 0 where stopping
/// early regularises.
double accuracy_for(double tolerance, double lambda, Precision precision);
constexpr double image_error_of_accuracy = 1e-3; ///< where the user asks for nothing

/// For the record.
std::string preconditioner_of(const SolveOptions& options);

} // namespace lsrecon
