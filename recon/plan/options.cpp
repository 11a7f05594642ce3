// What follows from the options of a reconstruction before a device or a file is touched.

#include "plan/options.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "encoding/methods.hpp"
#include "encoding/solve.hpp"
#include "operators/regularisers.hpp"
#include "plan/settle.hpp"

namespace lsrecon {

namespace {

/// A method that does not solve has no use for settings of a solver.
void require_use_of_method(const ReconstructOptions& options) {
    const SolveOptions& solve = options.solve;
    const SolveEffort& effort = options.effort;
    const Method& method = method_of(solve);
    if (solve.density != nullptr && method.density != &density_of_gridding) {
        throw UsageError("`density` " + solve.density->name + ": `method` " + method.name +
                         " has no density compensation\n  next:     leave `density` out, or use "
                         "`method` gridding");
    }
    if (method.solves) {
        return;
    }
    const std::vector<std::pair<std::string, bool>> of_solvers{
        {"lambda", options.lambda_rule.has_value() || solve.lambda > 0},
        {"reg", !solve.regularisers.empty() || options.best_regulariser.has_value()},
        {"prior", !options.prepare.prior.empty()},
        {"iterations", effort.iterations.has_value()},
        {"tolerance", effort.tolerance.has_value()},
        {"preconditioner", effort.precondition.has_value()},
        {"solver", solve.solver != nullptr},
        {"conjugate_symmetry", options.conjugate_symmetry},
        {"certify", options.certify > 0}};
    for (const auto& [key, is_given] : of_solvers) {
        if (is_given) {
            require_solves(solve, key);
        }
    }
}

void require_lambda_rule(const RuleChoice& rule, const ReconstructOptions& options) {
    if (!rule.word.empty() && rule.word != held_out && options.best_regulariser.value_or(false)) {
        throw UsageError("`lambda` " + rule.word +
                         " with `reg` auto, which chooses lambda, too"
                         "\n  next:     leave one of the two out");
    }
    for (const RegulariserChoice& choice : options.solve.regularisers) {
        if (!rule.word.empty() && !regulariser_named(choice.name).of_unmeasured) {
            throw UsageError("`lambda` " + rule.word + " with `reg` " + choice.name +
                             ": a rule cannot choose lambda beside this regulariser"
                             "\n  next:     give `lambda` a number, or leave `reg` out");
        }
    }
}

/// Cross-validation chooses one weight, of a regulariser that it can follow from weight to weight.
void require_weights(const ReconstructOptions& options) {
    const Regularisers& chosen = options.solve.regularisers;
    std::vector<std::string> open;
    for (const RegulariserChoice& choice : chosen) {
        if (choice.weight > 0) {
            continue;
        }
        if (!regulariser_named(choice.name).may_be_weighed) {
            throw UsageError("`reg` " + choice.name +
                             ": its weight cannot be chosen from the scan\n  next:     give one, "
                             "such as " +
                             choice.name + ":0.02");
        }
        open.push_back(choice.name);
    }
    if (options.best_regulariser.value_or(false)) {
        open.emplace_back("auto");
    }
    std::sort(open.begin(), open.end());
    const bool is_one_weight = open == std::vector<std::string>{"ttv", "tv"}; // of both
    if (open.size() > 1 && !is_one_weight) {
        throw UsageError("`reg`: " + text(open.size(), " regularisers without a weight") +
                         "\n  next:     give all of them a weight but one; tv and ttv may share "
                         "one");
    }
}

/// A prior image goes with the regularisers that need one, and they with it.
void require_use_of_prior(const std::vector<RegulariserChoice>& chosen, const std::string& prior) {
    std::string names;
    for (const Regulariser& row : regularisers()) {
        names += row.require == nullptr ? "" : (names.empty() ? "" : " or ") + row.name;
    }
    if (need_prior(chosen) && prior.empty()) {
        throw UsageError("`reg` " + names + " needs a prior image\n  next:     pass `prior` FILE");
    }
    if (!need_prior(chosen) && !prior.empty()) {
        throw UsageError("`prior` " + prior + ": no regulariser uses it\n  next:     add `reg` " +
                         names + " with a weight, or leave `prior` out");
    }
}

/// Frames that are solved together have no replica of their own.
void require_use_of_joint_solves(const ReconstructOptions& options) {
    if (!need_all_frames(options.solve.regularisers)) {
        return;
    }
    const std::string together = ": with `reg` " + in_words(options.solve.regularisers) +
                                 " all frames are solved together, and ";
    if (options.certify > 0) {
        throw UsageError("`certify`" + together +
                         "the error of such an image is not known\n"
                         "  next:     leave one of the two out");
    }
    if (options.noise_solves > 0) {
        throw UsageError("`noise_map`" + together +
                         "a noise map needs a single frame\n"
                         "  next:     leave one of the two out");
    }
}

/// UsageError for what is given beside an option that cannot do with it.
void require_none_beside(const std::string& option, const std::string& why,
                         const std::vector<std::pair<std::string, bool>>& words_given) {
    for (const auto& [word, is_given] : words_given) {
        if (is_given) {
            throw UsageError("`" + option + "` with " + word + ": " + why +
                             "\n  next:     leave one of the two out");
        }
    }
}

/// Conjugates are linear over the reals alone, and each frame has a phase of its own.
void require_use_of_symmetry(const ReconstructOptions& options) {
    if (!options.conjugate_symmetry) {
        return;
    }
    const Solver& solver = solver_of(options.solve);
    require_none_beside("conjugate_symmetry", "it does not know conjugates of the image",
                        {{"`snr_units`", options.snr_units},
                         {"`noise_map`", options.noise_solves > 0},
                         {"`solver` " + solver.name, !solver.on_device},
                         {"`reg` " + in_words(options.solve.regularisers),
                          need_all_frames(options.solve.regularisers)}});
}

/// The images of coils are frames, and nothing combines them.
void require_use_of_kept_coils(const ReconstructOptions& options) {
    if (!options.prepare.keep_coils) {
        return;
    }
    if (!is_none(options.prepare.maps)) {
        throw UsageError("`keep_coils`: coil maps combine the coils into one image\n"
                         "  next:     pass `maps` none, too");
    }
    require_none_beside("keep_coils", "it is for one image of all coils",
                        {{"`prior`", !options.prepare.prior.empty()},
                         {"`noise_map`", options.noise_solves > 0},
                         {"`reg` " + in_words(options.solve.regularisers),
                          need_all_frames(options.solve.regularisers)}});
}

/// The noise of an image that is not linear in its samples depends on the image.
void require_use_of_snr_units(const ReconstructOptions& options) {
    const Regularisers& chosen = options.solve.regularisers;
    const bool is_tried = options.best_regulariser.value_or(false);
    if (options.snr_units && (is_tried || need_splitting(chosen) || need_all_frames(chosen))) {
        throw UsageError("`snr_units` with `reg` " + (is_tried ? "auto" : in_words(chosen)) +
                         ": the noise of such an image depends on the image\n"
                         "  next:     leave one of the two out");
    }
}

} // namespace

void require_solves(const SolveOptions& solve, const std::string& key) {
    const Method& method = method_of(solve);
    if (!method.solves) {
        throw UsageError("`" + key + "` has no effect with `method` " + method.name +
                         ", which uses no solver\n  next:     leave `" + key +
                         "` out, or use `method` least_squares");
    }
}

void require_consistent(const ReconstructOptions& options) {
    const SolveOptions& solve = options.solve;
    require_use_of_method(options);
    if (const Solver& solver = solver_of(solve);
        need_splitting(solve.regularisers) && !solver.splits) {
        throw UsageError(
            "`solver` " + solver.name + ": conjugate gradients alone do not minimise " +
            in_words(solve.regularisers) + "\n  next:     leave `solver` or `reg` out");
    }
    require_use_of_snr_units(options);
    require_use_of_symmetry(options);
    require_use_of_kept_coils(options);
    require_use_of_joint_solves(options);
    require_weights(options);
    require_lambda_rule(rule_of(options), options);
    require_use_of_prior(solve.regularisers, options.prepare.prior);
}

} // namespace lsrecon
