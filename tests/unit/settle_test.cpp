// Which regularisers and which rule for lambda follow from options and from facts of a scan.

#include "plan/settle.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

SolveFacts few_samples() {
    SolveFacts facts;
    facts.few_samples = true;
    return facts;
}

std::string rule_word(const ReconstructOptions& options, const SolveFacts& facts) {
    return rule_of(options, facts).word;
}

TEST(Settle, AScanOfFewSamplesHasCandidatesAndElseARuleForLambda) {
    const ReconstructOptions options;
    EXPECT_TRUE(candidates_of(options, {}).empty());
    EXPECT_EQ(rule_word(options, {}), "auto");
    ASSERT_EQ(candidates_of(options, few_samples()).size(), 2u);
    EXPECT_EQ(rule_word(options, few_samples()), "");
    EXPECT_EQ(in_words(settle(options, few_samples()).regularisers), "tv:0.01");
    EXPECT_EQ(regularised(options), RegularisedScans::of_few_samples);
}

TEST(Settle, WhatWasChosenIsSolved) {
    const ReconstructOptions options;
    SolveFacts facts = few_samples();
    facts.regularisers = Regularisers{{"wavelet", 0.03}};
    EXPECT_EQ(in_words(settle(options, facts).regularisers), "wavelet:0.03");
    EXPECT_EQ(rule_word(options, facts), "");
    facts.regularisers = Regularisers();
    EXPECT_EQ(rule_word(options, facts), "auto") << "least squares predict best";
    EXPECT_EQ(in_words(settle(options, facts).regularisers), "band:0.3");
}

TEST(Settle, WhatKeepsNoiseOutLeavesNothingToChoose) {
    ReconstructOptions iterations;
    iterations.effort.iterations = 10;
    ReconstructOptions lambda;
    lambda.solve.lambda = 0.1;
    lambda.lambda_rule = RuleChoice{""};
    ReconstructOptions weight;
    weight.solve.regularisers = {{"tv", 0.02}};
    ReconstructOptions none;
    none.best_regulariser = false;
    for (const ReconstructOptions& options : {iterations, lambda, weight, none}) {
        EXPECT_TRUE(candidates_of(options, few_samples()).empty());
    }
    EXPECT_EQ(rule_word(none, few_samples()), "auto");
    EXPECT_EQ(regularised(weight), RegularisedScans::always);
    EXPECT_EQ(regularised(none), RegularisedScans::never);
}

TEST(Settle, DearProductsAndAGivenRuleKeepLeastSquares) {
    SolveFacts dear = few_samples();
    dear.products = Products::convolutions;
    EXPECT_TRUE(candidates_of({}, dear).empty());
    ReconstructOptions rule;
    rule.lambda_rule = RuleChoice{"discrepancy"};
    EXPECT_TRUE(candidates_of(rule, few_samples()).empty());
    EXPECT_EQ(rule_word(rule, few_samples()), "discrepancy");
}

TEST(Settle, ANamedRegulariserIsTheOnlyCandidate) {
    ReconstructOptions options;
    options.solve.regularisers = {{"wavelet", 0}, {"roughness", 0.1}};
    const std::vector<Regularisers> candidates = candidates_of(options, {});
    ASSERT_EQ(candidates.size(), 1u);
    EXPECT_EQ(in_words(settle(options, {}).regularisers), "wavelet:0.01 roughness:0.1");
    EXPECT_FALSE(may_be_none(options));
}

} // namespace
} // namespace lsrecon
