#include "plan/settle.hpp"

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

RuleChoice rule_of(const ReconstructOptions& options, Products products) {
    RuleChoice rule = rule_of(options);
    return rule.asked_for || products == Products::one_convolution ? rule : RuleChoice();
}

SolveOptions settle(const ReconstructOptions& options, const SolveFacts& facts) {
    const RuleChoice rule = rule_of(options, facts.products);
    SolveOptions how = options.solve;
    if (!rule.word.empty()) {
        how.lambda = facts.lambda.value_or(smallest_lambda);
        if (!rule.asked_for) {
            how.regularisers.push_back({"band", weight_of_band});
        }
    }
    return with_effort(std::move(how), options.effort, facts.products, facts.epsilon);
}

ComputeOptions with_accuracy_of_image(ComputeOptions compute, const ReconstructOptions& options) {
    constexpr double usual_lambda = 1e-3; // of those that rules choose
    const bool is_asked_for = compute.accuracy > 0 && !compute.accuracy_is_of_image;
    if (is_asked_for || !may_be_inexact(compute)) {
        return compute;
    }
    const double tolerance = options.certify > 0
                                 ? options.certify
                                 : options.effort.tolerance.value_or(image_error_of_accuracy);
    const bool by_rule = !rule_of(options).word.empty();
    compute.accuracy_is_of_image = true;
    compute.accuracy = accuracy_for(tolerance, by_rule ? usual_lambda : options.solve.lambda,
                                    compute.precision.value_or(Precision::float32));
    return compute;
}

} // namespace lsrecon
