// From what was asked for to what is done: pure functions, called again when a fact arrives.

#pragma once

#include <cstdint>
#include <optional>

#include "encoding/choose_weight.hpp"
#include "encoding/encoding.hpp"
#include "operators/preconditioner.hpp"
#include "plan/options.hpp"

namespace lsrecon {

/// The facts of a scan and a machine that decide about its solve.
struct SolveFacts {
    Products products = Products::one_convolution;
    double epsilon = 0; ///< unit roundoff of the solver
    bool series = false; ///< whether frames may be solved together: may_be_joint of plan/cost.hpp
    std::uint64_t too_large = 0; ///< rows of regularisers() that memory has no room for, a bit each
    std::optional<Regularisers> regularisers = {}; ///< that held-out samples have chosen
    std::optional<double> lambda = {}; ///< that they, or a rule, have chosen
    bool is_full = false; ///< whether samples fill k-space

    void set(const ChosenSettings& chosen) {
        regularisers = chosen.regularisers;
        lambda = chosen.lambda;
        is_full = chosen.is_full;
    }
};

/// The rule that chooses lambda of least squares, asked for or the default; "" for the lambda of
/// the options.
RuleChoice rule_of(const ReconstructOptions& options);
/// The candidates among which held-out samples choose: least squares, and all regularisers that can
/// be weighed where none is named and nothing else keeps noise out. Empty for nothing to choose.
std::vector<Candidate> candidates_of(const ReconstructOptions& options, const SolveFacts& facts);
/// Whether regularisers have a weight of 0, which is to be chosen.
bool has_open_weight(const ReconstructOptions& options);
/// Whether the image may be that of a regulariser.
bool may_be_regularised(const ReconstructOptions& options);
/// Drops aliasing that a regulariser may take out, and marks the rest where no solver makes the
/// image.
void consider_method(Findings& findings, const ReconstructOptions& options);
/// Whether regularisers are asked for, which need voxels on a grid.
bool needs_grid(const ReconstructOptions& options);

/// The solve of a run. Until something is chosen, it is that of the first candidate with a usual
/// weight, or with the smallest lambda of a rule's curve. Where the rule is that of the default,
/// the solve converges whatever a product takes, and where that is one convolution `band` is added:
/// what was not measured is not made up from coil maps and noise. Off resonance other frequencies
/// are measured than the trajectory says. UsageError as of with_effort.
SolveOptions settle(const ReconstructOptions& options, const SolveFacts& facts);

/// The most frames among which the one is found by whose samples numbers are chosen.
constexpr std::size_t most_frames_to_compare = 8;

/// What decides how transforms compute, beside the request.
struct ComputeFacts {
    /// Whether numbers are chosen by samples: rules take errors of transforms for those of samples,
    /// and leave out every lambda that they hide.
    bool by_samples = false;
    /// The lambda of an image in which errors of the transforms, as they are, would show.
    std::optional<double> shows_with = {};
};
/// The precision and the accuracy of transforms, where the user asks for none: by the error that
/// the image may have; in doubles where errors would show otherwise. A larger error that is asked
/// for is not taken for numbers that are chosen by samples.
ComputeOptions choose_compute(ComputeOptions compute, const ReconstructOptions& request,
                              const ComputeFacts& facts = {});
/// Whether `a` computes more exactly.
bool is_more_exact(const ComputeOptions& a, const ComputeOptions& b);

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
/// those of the options: 8 / sqrt(lambda), and an average for a regulariser without lambda. 15
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
