#include "plan/settle.hpp"

#include <algorithm>

#include "encoding/choose_lambda.hpp"
#include "encoding/methods.hpp"

namespace lsrecon {

RuleChoice rule_of(const ReconstructOptions& options) {
    if (options.lambda_rule) {
        return *options.lambda_rule;
    }
    const SolveOptions& solve = options.solve;
    const bool keeps_noise_out = !method_of(solve).solves || options.effort.iterations ||
                                 !solve.regularisers.empty() || solve.lambda > 0;
    return keeps_noise_out ? RuleChoice() : RuleChoice{"auto", false};
}

std::vector<Regularisers> candidates_of(const ReconstructOptions& options,
                                        const SolveFacts& facts) {
    const Regularisers& named = options.solve.regularisers;
    if (!may_be_none(options)) {
        return {named};
    }
    const bool by_default = facts.few_samples && facts.products == Products::one_convolution &&
                            !options.lambda_rule && !rule_of(options).word.empty();
    if (!options.best_regulariser.value_or(by_default)) {
        return {};
    }
    const bool joint = facts.series && options.best_regulariser.value_or(false);
    const auto is_new = [&](const std::string& name) {
        return !name.empty() && std::none_of(named.begin(), named.end(), [&](const auto& choice) {
            return choice.name == name;
        });
    };
    std::vector<Regularisers> candidates;
    for (const Regulariser& row : regularisers()) {
        if (row.may_be_weighed && (joint || !row.couples_frames) && is_new(row.name)) {
            candidates.push_back(named);
            if (is_new(row.weighed_with)) {
                candidates.back().push_back({row.weighed_with, 0});
            }
            candidates.back().push_back({row.name, 0});
        }
    }
    return candidates;
}

RegularisedScans regularised(const ReconstructOptions& options) {
    if (!options.solve.regularisers.empty() || options.best_regulariser.value_or(false)) {
        return RegularisedScans::always;
    }
    SolveFacts facts;
    facts.few_samples = true;
    return candidates_of(options, facts).empty() ? RegularisedScans::never
                                                 : RegularisedScans::of_few_samples;
}

bool may_be_none(const ReconstructOptions& options) {
    const Regularisers& named = options.solve.regularisers;
    return std::none_of(named.begin(), named.end(),
                        [](const RegulariserChoice& choice) { return choice.weight == 0; });
}

RuleChoice rule_of(const ReconstructOptions& options, const SolveFacts& facts) {
    const RuleChoice rule = rule_of(options);
    const bool is_regularised =
        facts.regularisers ? !facts.regularisers->empty() : !candidates_of(options, facts).empty();
    return rule.asked_for || !is_regularised ? rule : RuleChoice();
}

SolveOptions settle(const ReconstructOptions& options, const SolveFacts& facts) {
    SolveOptions how = options.solve;
    const std::vector<Regularisers> candidates = candidates_of(options, facts);
    if (!candidates.empty()) {
        how.regularisers = facts.regularisers.value_or(candidates.front());
        for (RegulariserChoice& choice : how.regularisers) {
            choice.weight = choice.weight == 0 ? usual_weight : choice.weight;
        }
    }
    const RuleChoice rule = rule_of(options, facts);
    Products products = facts.products;
    if (!rule.word.empty()) {
        how.lambda = facts.lambda.value_or(smallest_lambda);
        if (!rule.asked_for && products == Products::one_convolution) {
            how.regularisers.push_back({"band", weight_of_band});
        }
        if (!rule.asked_for && products == Products::transforms) {
            products = Products::convolutions; // nothing but lambda keeps noise out: it converges
        }
    }
    return with_effort(std::move(how), options.effort, products, facts.epsilon);
}

namespace {

double accuracy_of_image(const ReconstructOptions& options, double lambda, Precision precision) {
    const double tolerance = options.certify > 0
                                 ? options.certify
                                 : options.effort.tolerance.value_or(image_error_of_accuracy);
    return accuracy_for(tolerance, lambda, precision);
}

ComputeOptions with_accuracy_of(ComputeOptions compute, const ReconstructOptions& options) {
    constexpr double usual_lambda = 1e-3; // of those that rules choose
    const bool by_rule = !rule_of(options).word.empty();
    compute.accuracy_is_of_image = true;
    compute.accuracy = accuracy_of_image(options, by_rule ? usual_lambda : options.solve.lambda,
                                         compute.precision.value_or(Precision::float32));
    return compute;
}

bool is_accuracy_asked_for(const ComputeOptions& compute) {
    return compute.accuracy > 0 && !compute.accuracy_is_of_image;
}

} // namespace

ComputeOptions with_accuracy_of_image(ComputeOptions compute, const ReconstructOptions& options) {
    return is_accuracy_asked_for(compute) || !may_be_inexact(compute)
               ? compute
               : with_accuracy_of(std::move(compute), options);
}

ComputeOptions with_accuracy_of_choice(ComputeOptions compute, const ReconstructOptions& options) {
    if (!is_accuracy_asked_for(compute) || !may_be_inexact(compute)) {
        return compute;
    }
    ComputeOptions of_image = with_accuracy_of(compute, options);
    return of_image.accuracy < compute.accuracy ? of_image : compute;
}

std::optional<ComputeOptions> more_exact(ComputeOptions compute, const ReconstructOptions& options,
                                         double lambda) {
    const double before = compute.accuracy;
    const bool was_in_doubles = compute.precision == Precision::float64;
    if (is_reference(compute.backend) || compute.precision == Precision::float32) {
        return std::nullopt;
    }
    compute.precision = Precision::float64;
    if (may_be_inexact(compute)) {
        compute.accuracy_is_of_image = true;
        compute.accuracy = accuracy_of_image(options, lambda, Precision::float64);
    }
    return was_in_doubles && compute.accuracy >= before ? std::nullopt : std::optional(compute);
}

} // namespace lsrecon
