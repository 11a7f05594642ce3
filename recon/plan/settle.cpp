// Derives the remaining settings from the request and the facts of a scan: method, regularisers,
// rules, accuracy.

#include "plan/settle.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "encoding/lambda_curve.hpp"
#include "encoding/methods.hpp"
#include "encoding/solve.hpp"
#include "solve/conjugate_gradient.hpp"

namespace lsrecon {

RuleChoice rule_of(const ReconstructOptions& options) {
    if (options.lambda_rule) {
        return *options.lambda_rule;
    }
    const SolveOptions& solve = options.solve;
    const bool keeps_noise_out = !method_of(solve).solves || options.effort.iterations ||
                                 !solve.regularisers.empty() || solve.lambda > 0;
    return keeps_noise_out ? RuleChoice() : RuleChoice{held_out, false};
}

namespace {

/// Whether regularisers that nobody named are candidates.
bool is_any_regulariser_tried(const ReconstructOptions& options) {
    // What is to be certified is an image of least squares, whose bound needs no second solve.
    const bool by_default = !options.lambda_rule && rule_of(options).word == held_out &&
                            options.certify == 0 && !options.snr_units;
    return options.best_regulariser.value_or(by_default);
}

/// Least squares, as the options have them: their lambda is chosen, or given.
Candidate least_squares(const ReconstructOptions& options, const SolveFacts& facts) {
    const RuleChoice rule = rule_of(options);
    Candidate candidate{options.solve.regularisers, options.solve.lambda, rule.word == held_out};
    if (candidate.by_lambda && !rule.is_requested && facts.products == Products::one_convolution) {
        candidate.regularisers.push_back({"band", weight_of_band});
    }
    return candidate;
}

} // namespace

std::vector<Candidate> candidates_of(const ReconstructOptions& options, const SolveFacts& facts) {
    const Regularisers& named = options.solve.regularisers;
    if (has_open_weight(options)) {
        return {{named, options.solve.lambda}};
    }
    std::vector<Candidate> candidates{least_squares(options, facts)};
    if (!is_any_regulariser_tried(options) || facts.products == Products::transforms) {
        return candidates.front().by_lambda ? candidates : std::vector<Candidate>();
    }
    const auto is_new = [&](const std::string& name) {
        return !name.empty() && std::none_of(named.begin(), named.end(), [&](const auto& choice) {
            return choice.name == name;
        });
    };
    std::uint64_t bit = 1;
    for (const Regulariser& row : regularisers()) {
        const bool has_room = (facts.too_large & bit) == 0 && (facts.series || !row.couples_frames);
        bit *= 2;
        if (row.may_be_weighed && has_room && is_new(row.name)) {
            candidates.push_back({named, options.solve.lambda});
            if (is_new(row.weighed_with)) {
                candidates.back().regularisers.push_back({row.weighed_with, 0});
            }
            candidates.back().regularisers.push_back({row.name, 0});
        }
    }
    return candidates;
}

bool has_open_weight(const ReconstructOptions& options) {
    const Regularisers& named = options.solve.regularisers;
    return std::any_of(named.begin(), named.end(),
                       [](const RegulariserChoice& choice) { return choice.weight == 0; });
}

bool may_be_regularised(const ReconstructOptions& options) {
    return !options.solve.regularisers.empty() || is_any_regulariser_tried(options);
}

void consider_method(Findings& findings, const ReconstructOptions& options) {
    const auto is_aliasing = [](const Finding& finding) {
        return finding.code == Found::undersampled || finding.code == Found::single_readouts;
    };
    if (may_be_regularised(options)) {
        findings.erase(std::remove_if(findings.begin(), findings.end(),
                                      [&](const Finding& finding) {
                                          return is_aliasing(finding) &&
                                                 finding.number("part") == 0;
                                      }),
                       findings.end());
    }
    for (Finding& finding : findings) {
        if (is_aliasing(finding) && !method_of(options.solve).solves) {
            finding.numbers.emplace_back("unsolved", 1);
        }
    }
}

bool needs_grid(const ReconstructOptions& options) {
    return !options.solve.regularisers.empty() || options.best_regulariser.value_or(false);
}

SolveOptions settle(const ReconstructOptions& options, const SolveFacts& facts) {
    SolveOptions settings = options.solve;
    const RuleChoice rule = rule_of(options);
    if (!rule.word.empty()) {
        settings.lambda = facts.lambda.value_or(smallest_lambda);
    }
    if (const std::vector<Candidate> candidates = candidates_of(options, facts);
        !candidates.empty()) {
        // Before the choice it is the one that takes most.
        const auto split = std::find_if(candidates.begin(), candidates.end(),
                                        [](const Candidate& one) { return one.has_open_weight(); });
        const Candidate& any = split == candidates.end() ? candidates.front() : *split;
        settings.regularisers = facts.regularisers.value_or(any.regularisers);
        settings.lambda = facts.lambda.value_or(any.by_lambda ? smallest_lambda : any.lambda);
        for (RegulariserChoice& choice : settings.regularisers) {
            choice.weight = choice.weight == 0 ? usual_weight : choice.weight;
        }
    }
    const bool must_converge =
        !rule.word.empty() && !rule.is_requested; // nothing else keeps noise out
    const Products products = must_converge && facts.products == Products::transforms
                                  ? Products::convolutions
                                  : facts.products;
    settings.is_chosen = facts.regularisers && !options.effort.iterations;
    settings.settles = settings.is_chosen && !facts.is_full; // full scans begin near their image
    return with_effort(std::move(settings), options.effort, products, facts.epsilon);
}

namespace {

double accuracy_of_image(const ReconstructOptions& options, double lambda, Precision precision) {
    const double tolerance = options.certify > 0
                                 ? options.certify
                                 : options.effort.tolerance.value_or(image_error_of_accuracy);
    return accuracy_for(tolerance, lambda, precision);
}

/// Computes in doubles, unless the user asks for floats.
ComputeOptions in_doubles(ComputeOptions compute, const ReconstructOptions& request,
                          double lambda) {
    if (is_reference(compute.backend) || compute.precision == Precision::float32) {
        return compute;
    }
    compute.precision = Precision::float64;
    if (may_be_inexact(compute)) {
        compute.accuracy_is_of_image = true;
        compute.accuracy = accuracy_of_image(request, lambda, Precision::float64);
    }
    return compute;
}

} // namespace

ComputeOptions choose_compute(ComputeOptions compute, const ReconstructOptions& request,
                              const ComputeFacts& facts) {
    constexpr double usual_lambda = 1e-3; // of those that rules choose
    if (facts.shows_with) {
        return in_doubles(std::move(compute), request, *facts.shows_with);
    }
    if (!may_be_inexact(compute) || (compute.is_accuracy_requested() && !facts.by_samples)) {
        return compute;
    }
    const bool by_rule = !rule_of(request).word.empty();
    const double of_image =
        accuracy_of_image(request, by_rule ? usual_lambda : request.solve.lambda,
                          compute.precision.value_or(Precision::float32));
    if (!compute.is_accuracy_requested() || of_image < compute.accuracy) {
        compute.accuracy_is_of_image = true;
        compute.accuracy = of_image;
    }
    return compute;
}

bool is_more_exact(const ComputeOptions& a, const ComputeOptions& b) {
    const bool is_other_precision =
        a.precision == Precision::float64 && b.precision != Precision::float64;
    return is_other_precision || (a.precision == b.precision && a.accuracy < b.accuracy);
}

namespace {

/// UsageError when the user asks for what the solve has no choice of.
void require_choice(bool precondition, bool split, bool by_one_q, const Solver& solver) {
    if (split) {
        throw UsageError(
            text("`preconditioner` with a regulariser that is not quadratic: ADMM always uses its ",
                 circulant_kind.name, " preconditioner\n  next:     leave the flag out"));
    }
    if (precondition && !(by_one_q && solver.preconditions)) {
        throw UsageError(text("`preconditioner` ", cosine_kind.name, " with ",
                              solver.preconditions
                                  ? "a field map or /voxels, where conjugate gradients have none"
                                  : "`solver` " + solver.name + ", which has none",
                              "\n  next:     leave the flag out"));
    }
}

} // namespace

SolveOptions with_effort(SolveOptions options, const SolveEffort& effort, Products products,
                         double epsilon) {
    const bool split = need_splitting(options.regularisers);
    const bool by_one_q = products == Products::one_convolution;
    const bool regularised = options.lambda > 0 || !options.regularisers.empty();
    const Solver& solver = solver_of(options);
    if (effort.precondition) {
        require_choice(*effort.precondition, split, by_one_q, solver);
    }
    const bool converges = regularised && !split && products != Products::transforms;
    if (split) {
        options.iterations = iterations_of_splitting;
    } else if (converges) {
        options.iterations = iterations_to_converge;
        const double to_converge =
            options.lambda > 0 ? tolerance_over_lambda * options.lambda : tolerance_without_lambda;
        options.tolerance =
            std::max(std::min(options.tolerance, to_converge), smallest_tolerance(epsilon));
    }
    options.iterations = effort.iterations.value_or(options.iterations);
    options.tolerance = effort.tolerance.value_or(options.tolerance);
    options.image_tolerance = effort.tolerance.value_or(options.image_tolerance);
    options.precondition =
        split || (by_one_q && solver.preconditions && effort.precondition.value_or(converges));
    return options;
}

int expected_iterations(const SolveOptions& options, double lambda) {
    constexpr double of_lambda = 8;
    constexpr double of_regularisers = 150; // 60 to 300 with roughness alone
    const double expected = lambda > 0 ? of_lambda / std::sqrt(lambda) : of_regularisers;
    return static_cast<int>(std::lround(std::clamp(expected, 1.0, double(options.iterations))));
}

double accuracy_for(double tolerance, double lambda, Precision precision) {
    constexpr double of_tolerance = 0.01;
    constexpr double most = 1e-3;
    const double least = precision == Precision::float64 ? 1e-12 : 2e-7;
    const double amplified = lambda > 0 ? std::min(1.0, lambda) : 1;
    return std::clamp(of_tolerance * amplified * tolerance, least, most);
}

std::string preconditioner_of(const SolveOptions& options) {
    return options.precondition ? preconditioner_kind(need_splitting(options.regularisers)).name
                                : "none";
}

} // namespace lsrecon
