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

TEST(Settle, OfASeriesThoseThatCoupleFramesAreCandidatesWhereBestIsAskedFor) {
    SolveFacts series = few_samples();
    series.series = true;
    EXPECT_EQ(candidates_of({}, series).size(), 2u) << "by default each frame is for itself";
    ReconstructOptions best;
    best.best_regulariser = true;
    std::string names;
    for (const Regularisers& candidate : candidates_of(best, series)) {
        names += in_words(candidate) + ", ";
    }
    EXPECT_EQ(names, "tv, wavelet, llr, tv ttv, ");
    EXPECT_EQ(candidates_of(best, few_samples()).size(), 2u);
}

TEST(Settle, ANamedRegulariserIsTheOnlyCandidate) {
    ReconstructOptions options;
    options.solve.regularisers = {{"wavelet", 0}, {"roughness", 0.1}};
    const std::vector<Regularisers> candidates = candidates_of(options, {});
    ASSERT_EQ(candidates.size(), 1u);
    EXPECT_EQ(in_words(settle(options, {}).regularisers), "wavelet:0.01 roughness:0.1");
    EXPECT_FALSE(may_be_none(options));
}

TEST(Settle, AChoiceIsMadeByTheAccuracyOfAnImage) {
    ReconstructOptions options;
    ComputeOptions compute;
    compute.engine = "nufft";
    compute.accuracy = 1e-3;
    const ComputeOptions choice = with_accuracy_of_choice(compute, options);
    EXPECT_EQ(choice.accuracy, with_accuracy_of_image({}, options).accuracy);
    compute.accuracy = 1e-9;
    EXPECT_EQ(with_accuracy_of_choice(compute, options).accuracy, 1e-9);
}

TEST(Settle, MoreExactThanFloatsAreDoublesUnlessFloatsAreAskedFor) {
    ReconstructOptions options;
    options.certify = 1e-3;
    ComputeOptions compute = with_accuracy_of_image({}, options);
    const auto better = more_exact(compute, options, 1e-3);
    ASSERT_TRUE(better);
    EXPECT_EQ(better->precision, Precision::float64);
    EXPECT_DOUBLE_EQ(better->accuracy, 1e-8);
    EXPECT_FALSE(more_exact(*better, options, 1e-3)) << "it is how they compute";
    EXPECT_TRUE(more_exact(*better, options, 1e-5)) << "another lambda";
    compute.precision = Precision::float32;
    EXPECT_FALSE(more_exact(compute, options, 1e-3));
}

} // namespace
} // namespace lsrecon
