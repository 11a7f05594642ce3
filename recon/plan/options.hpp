#pragma once

#include <functional>
#include <optional>
#include <string>

#include "encoding/q_store.hpp"
#include "engines/transforms.hpp"
#include "model/prepare_options.hpp"
#include "plan/effort.hpp"
#include "solve/curves.hpp"

namespace lsrecon {

struct ReconstructOptions {
    PrepareOptions prepare;
    SolveOptions solve; ///< but for what follows from `effort`
    SolveEffort effort;
    /// None for the default: a rule where nothing else keeps noise out. An empty one for the lambda
    /// of `solve`, even 0.
    std::optional<RuleChoice> lambda_rule;
    /// Whether regularisers that nobody names are tried beside least squares ("reg auto", "reg
    /// none"). By default where nothing else keeps noise out.
    std::optional<bool> best_regulariser;
    QStore* q = nullptr; ///< null to compute every Q
    std::size_t noise_replicas = 0; ///< for a noise map, at least 2; 0: none
    double certify = 0; ///< largest relative error of an image by its transforms; 0: not asked for
    /// Called with every residual of a frame; null for nobody.
    std::function<void(std::size_t frame, const Iteration& iteration)> on_iteration;
};

/// UsageError for an option of solvers, by its key, where the method does not solve.
void require_solves(const SolveOptions& solve, const std::string& key);
/// UsageError for options that contradict each other, whatever the scan.
void require_consistent(const ReconstructOptions& options);

} // namespace lsrecon
