#pragma once

#include <optional>

#include "encoding/formulation.hpp"
#include "plan/options.hpp"

namespace lsrecon {

// From what was asked for to what is done: pure functions, called again when a fact arrives.

/// The rule that chooses lambda, asked for or the default; "" for the lambda of the options.
RuleChoice rule_of(const ReconstructOptions& options);
/// The same for such products: where they are dear and nobody asked, none.
RuleChoice rule_of(const ReconstructOptions& options, Products products);

/// What of a scan and a machine decides about its solve.
struct SolveFacts {
    Products products = Products::one_convolution;
    double epsilon = 0; ///< unit roundoff of the solver
    std::optional<double> lambda = {}; ///< that a rule has chosen
};
/// The solve of a run. Until a rule has chosen, lambda is the smallest of its curve. Where the rule
/// is that of the default, `band` is added: what was not measured is not made up from coil maps and
/// noise. UsageError as of with_effort.
SolveOptions settle(const ReconstructOptions& options, const SolveFacts& facts);

/// With the accuracy that the image needs where none was asked for and an engine may compute that
/// is not exact.
ComputeOptions with_accuracy_of_image(ComputeOptions compute, const ReconstructOptions& options);

} // namespace lsrecon
