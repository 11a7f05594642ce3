#pragma once

#include <optional>

#include "encoding/formulation.hpp"
#include "plan/options.hpp"

namespace lsrecon {

// From what was asked for to what is done: pure functions, called again when a fact arrives.

/// The rule that chooses lambda, asked for or the default, of scans that determine their image; ""
/// for the lambda of the options.
RuleChoice rule_of(const ReconstructOptions& options);

/// What of a scan and a machine decides about its solve.
struct SolveFacts {
    Products products = Products::one_convolution;
    double epsilon = 0; ///< unit roundoff of the solver
    bool few_samples = false; ///< for its grid: are_few_samples of scan/reach.hpp
    bool series = false; ///< whether frames may be solved together: may_be_joint of plan/cost.hpp
    std::optional<Regularisers> regularisers = {}; ///< that cross-validation has chosen
    std::optional<double> lambda = {}; ///< that a rule has chosen
};

/// The regularisers among which cross-validation chooses, each with one weight of 0; empty where
/// nothing is to be chosen.
std::vector<Regularisers> candidates_of(const ReconstructOptions& options, const SolveFacts& facts);
/// Whether no regulariser is a candidate, too: where none is named.
bool may_be_none(const ReconstructOptions& options);
/// Which scans these options solve with a regulariser.
RegularisedScans regularised(const ReconstructOptions& options);
/// The rule that chooses lambda of a scan with these facts; "" for none.
RuleChoice rule_of(const ReconstructOptions& options, const SolveFacts& facts);

/// The solve of a run. Until a rule has chosen, lambda is the smallest of its curve, and the
/// regularisers are the first candidate with a usual weight. Where the rule is that of the default,
/// the solve converges whatever a product takes, and where that is one convolution `band` is added:
/// what was not measured is not made up from coil maps and noise. Off resonance other frequencies
/// are measured than the trajectory says. UsageError as of with_effort.
SolveOptions settle(const ReconstructOptions& options, const SolveFacts& facts);

/// With the accuracy that the image needs where none was asked for and an engine may compute that
/// is not exact.
ComputeOptions with_accuracy_of_image(ComputeOptions compute, const ReconstructOptions& options);
/// With the accuracy of an image where a larger one is asked for: a rule takes errors of transforms
/// for those of samples, and leaves out every lambda that they hide.
ComputeOptions with_accuracy_of_choice(ComputeOptions compute, const ReconstructOptions& options);
/// In doubles, and by the accuracy that the image needs with this lambda: what the program takes by
/// itself where errors of the transforms would show. None where the user asks for floats, or where
/// that is how it computes already.
std::optional<ComputeOptions> more_exact(ComputeOptions compute, const ReconstructOptions& options,
                                         double lambda);

} // namespace lsrecon
