// Which regularisers and which rule for lambda follow from options and from facts of a scan.

#include "plan/settle.hpp"

#include <gtest/gtest.h>

#include "encoding/methods.hpp"

namespace lsrecon {
namespace {

std::string names_of(const ReconstructOptions& options, const SolveFacts& facts = {}) {
    std::string names;
    for (const Candidate& candidate : candidates_of(options, facts)) {
        names += (names.empty() ? "" : ", ") + candidate.name();
    }
    return names;
}

TEST(Settle, LeastSquaresAndRegularisersAreCandidates) {
    const ReconstructOptions options;
    EXPECT_EQ(names_of(options), "lambda, tv, wavelet");
    EXPECT_EQ(in_words(candidates_of(options, {}).front().regularisers), "band:0.3");
    EXPECT_EQ(in_words(settle(options, {}).regularisers), "tv:0.01") << "that takes most";
    EXPECT_EQ(settle(options, {}).lambda, 0);
    EXPECT_TRUE(may_be_regularised(options));
    EXPECT_FALSE(needs_grid(options));
}

TEST(Settle, RegularisersThatMemoryHasNoRoomForAreNoCandidates) {
    const std::vector<Regulariser>& rows = regularisers();
    const auto wavelet = std::find_if(rows.begin(), rows.end(),
                                      [](const Regulariser& row) { return row.name == "wavelet"; });
    SolveFacts facts;
    facts.too_large = std::uint64_t(1) << (wavelet - rows.begin());
    EXPECT_EQ(names_of({}, facts), "lambda, tv");
}

TEST(Settle, WhatWasChosenIsSolved) {
    const ReconstructOptions options;
    SolveFacts facts;
    facts.regularisers = Regularisers{{"wavelet", 0.03}};
    facts.lambda = 0;
    SolveOptions settings = settle(options, facts);
    EXPECT_EQ(in_words(settings.regularisers), "wavelet:0.03");
    EXPECT_EQ(settings.lambda, 0);
    EXPECT_TRUE(settings.settles);
    facts.is_full = true;
    settings = settle(options, facts);
    EXPECT_TRUE(settings.is_chosen);
    EXPECT_FALSE(settings.settles);
    facts.regularisers = Regularisers{{"band", 0.3}};
    facts.lambda = 0.02;
    settings = settle(options, facts);
    EXPECT_EQ(in_words(settings.regularisers), "band:0.3");
    EXPECT_EQ(settings.lambda, 0.02);
}

TEST(Settle, WhatKeepsNoiseOutLeavesNothingToChoose) {
    ReconstructOptions iterations;
    iterations.effort.iterations = 10;
    ReconstructOptions lambda;
    lambda.solve.lambda = 0.1;
    lambda.lambda_rule = RuleChoice{""};
    ReconstructOptions weight;
    weight.solve.regularisers = {{"tv", 0.02}};
    for (const ReconstructOptions& options : {iterations, lambda, weight}) {
        EXPECT_EQ(names_of(options), "");
        EXPECT_FALSE(settle(options, {}).settles);
    }
    EXPECT_TRUE(may_be_regularised(weight));
    EXPECT_FALSE(may_be_regularised(lambda));
}

TEST(Settle, AliasingThatARegulariserTakesOutDoesNotMatter) {
    const Findings found{
        {Found::epi_ghost}, {Found::undersampled}, {Found::undersampled, {{"part", 1}}}};
    const auto left = [&](const ReconstructOptions& options) {
        Findings findings = found;
        consider_method(findings, options);
        return findings;
    };
    ReconstructOptions options;
    options.best_regulariser = false;
    EXPECT_EQ(left(options).size(), 3U);
    EXPECT_EQ(left(options)[1].number("unsolved"), 0);
    options.solve.regularisers = {{"tv", 0.02}};
    ASSERT_EQ(left(options).size(), 2U);
    EXPECT_EQ(left(options)[0].code, Found::epi_ghost);
    EXPECT_EQ(left(options)[1].number("part"), 1) << "no regulariser makes an image of a line";
    options.solve.regularisers = {};
    options.solve.method = &method_named("gridding");
    ASSERT_EQ(left(options).size(), 3U);
    EXPECT_EQ(left(options)[1].number("unsolved"), 1) << "other methods refuse regularisers";
}

TEST(Settle, WithoutRegularisersLambdaAloneIsChosen) {
    ReconstructOptions none;
    none.best_regulariser = false;
    EXPECT_EQ(names_of(none), "lambda");
    EXPECT_EQ(in_words(settle(none, {}).regularisers), "band:0.3");
    EXPECT_FALSE(may_be_regularised(none));
    ReconstructOptions rule;
    rule.lambda_rule = RuleChoice{held_out};
    EXPECT_EQ(names_of(rule), "lambda");
    EXPECT_EQ(in_words(settle(rule, {}).regularisers), "") << "band is the default's";
    rule.lambda_rule = RuleChoice{"discrepancy"};
    EXPECT_EQ(names_of(rule), "") << "a rule of its own";
}

TEST(Settle, OffTheGridLeastSquaresAreTheOnlyCandidate) {
    SolveFacts facts;
    facts.products = Products::transforms;
    EXPECT_EQ(names_of({}, facts), "lambda");
    facts.products = Products::convolutions;
    EXPECT_EQ(names_of({}, facts), "lambda, tv, wavelet");
    EXPECT_EQ(in_words(candidates_of({}, facts).front().regularisers), "")
        << "off resonance other frequencies are measured";
}

TEST(Settle, OfASeriesThoseThatCoupleFramesAreCandidates) {
    SolveFacts series;
    series.series = true;
    EXPECT_EQ(names_of({}, series), "lambda, tv, wavelet, llr, tv_ttv");
}

TEST(Settle, WithIterationsLeastSquaresAreComparedAsTheyAre) {
    ReconstructOptions options;
    options.best_regulariser = true;
    options.effort.iterations = 30;
    ASSERT_EQ(names_of(options), "lambda, tv, wavelet");
    EXPECT_FALSE(candidates_of(options, {}).front().by_lambda);
}

TEST(Settle, ANamedRegulariserIsTheOnlyCandidate) {
    ReconstructOptions options;
    options.solve.regularisers = {{"wavelet", 0}, {"roughness", 0.1}};
    EXPECT_EQ(names_of(options), "wavelet");
    EXPECT_EQ(in_words(settle(options, {}).regularisers), "wavelet:0.01 roughness:0.1");
    EXPECT_TRUE(has_open_weight(options));
}

TEST(Settle, AChoiceIsMadeByTheAccuracyOfAnImage) {
    ReconstructOptions options;
    ComputeOptions compute;
    compute.engine = "nufft";
    compute.accuracy = 1e-3;
    const ComputeOptions choice = choose_compute(compute, options, {true});
    EXPECT_EQ(choice.accuracy, choose_compute({}, options).accuracy);
    compute.accuracy = 1e-9;
    EXPECT_EQ(choose_compute(compute, options, {true}).accuracy, 1e-9);
}

TEST(Settle, MoreExactThanFloatsAreDoublesUnlessFloatsAreAskedFor) {
    ReconstructOptions options;
    options.certify = 1e-3;
    ComputeOptions compute = choose_compute({}, options);
    const ComputeOptions better = choose_compute(compute, options, {true, 1e-3});
    EXPECT_TRUE(is_more_exact(better, compute));
    EXPECT_EQ(better.precision, Precision::float64);
    EXPECT_DOUBLE_EQ(better.accuracy, 1e-8);
    EXPECT_FALSE(is_more_exact(choose_compute(better, options, {true, 1e-3}), better));
    EXPECT_TRUE(is_more_exact(choose_compute(better, options, {true, 1e-5}), better));
    compute.precision = Precision::float32;
    EXPECT_FALSE(is_more_exact(choose_compute(compute, options, {true, 1e-3}), compute));
}

} // namespace
} // namespace lsrecon
