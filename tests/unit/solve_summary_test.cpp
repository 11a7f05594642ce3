#include <gtest/gtest.h>

#include "base/numbers.hpp"
#include "base/tolerance.hpp"
#include "encoding/solve.hpp"
#include "encoding/summary.hpp"
#include "scan/scan.hpp"
#include "support/findings.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

/// A frame of problems with these histories.
ImageFrame frame_of(const ResidualHistories& histories, Stop stop) {
    ImageFrame frame;
    frame.residuals = histories;
    frame.stops = std::vector<Stop>(histories.size(), stop);
    return frame;
}

SolveSummary summary_of(const ResidualHistories& histories, Stop stop) {
    SolveSummary summary(SolveOptions{});
    summary.add(frame_of(histories, stop));
    return summary;
}

/// Of one problem a gain, by transforms of this bound in single precision.
ImageFrame rounded_frame(const std::vector<double>& gains, double lambda, double bound) {
    ImageFrame frame = frame_of({{1, 0.1}}, Stop::iterations);
    estimate_rounding(frame, gains, lambda, bound, tolerance::eps);
    return frame;
}

TEST(SolveSummary, OneSolveThatTheLimitEnded) {
    const SolveSummary summary = summary_of({{1, 0.1, 3.14e-3}}, Stop::iterations);
    EXPECT_FALSE(summary.converged());
    EXPECT_EQ(test::lacks(summary.as_text(),
                          {"2 iterations", "asked", "residual 0.0031", "target 0.0001"}),
              "");
    const Finding found = summary.on_convergence();
    EXPECT_EQ(found.code, Found::not_converged);
    EXPECT_EQ(found.number("solves"), 1);
    EXPECT_EQ(found.number("limited"), 1);
    EXPECT_EQ(found.number("residual"), 3.14e-3);
    EXPECT_EQ(found.number("early"), 1) << "without lambda";
    EXPECT_EQ(found.word("effort"), "2 iterations");
    EXPECT_EQ(found.word("residuals"), "residual 0.0031, target 0.0001");
    EXPECT_EQ(found.word("change"), "");
}

TEST(SolveSummary, RoundedNumbersHaveTwoDigits) {
    EXPECT_EQ(rounded(1), "1");
    EXPECT_EQ(rounded(123), "120");
    EXPECT_EQ(rounded(0.01234), "0.012");
    EXPECT_EQ(rounded(4.4e-7), "4.4e-07");
    EXPECT_EQ(rounded(12345678), "1.2e+07");
}

TEST(SolveSummary, TheLastIterationsShowWhetherMoreWouldChangeTheImage) {
    ImageFrame frame = frame_of({{1, 0.1, 3.14e-3}}, Stop::iterations);
    frame.late_change = 0.0234;
    SolveSummary summary(SolveOptions{});
    summary.add(frame);
    EXPECT_EQ(summary.on_convergence().word("change"), "the last 2 changed the image by 2.3 %");
    frame.late_change = 0.1;
    summary.add(frame);
    EXPECT_EQ(summary.on_convergence().word("change"), "the last 2 changed an image by up to 10 %");
    SolveOptions one;
    one.iterations = 1;
    SolveSummary of_one(one);
    of_one.add(frame);
    EXPECT_EQ(of_one.on_convergence().word("change"), "");
}

TEST(SolveSummary, OneSolveThatKeptTheTolerance) {
    const SolveSummary summary = summary_of({{1, 9e-6}}, Stop::tolerance);
    EXPECT_TRUE(summary.converged());
    EXPECT_EQ(summary.as_text(), "1 iteration, residual 9e-06, target 0.0001");
}

TEST(SolveSummary, AtTheLimitAndWithinTheToleranceIsNoWarning) {
    EXPECT_TRUE(summary_of({{1, 0.1, 5e-5}}, Stop::iterations).converged());
}

TEST(SolveSummary, AResidualAboveThatOfZerosIsNoSolution) {
    const Finding found = summary_of({{1, 40, 1.2}}, Stop::iterations).on_convergence();
    EXPECT_EQ(found.number("residual"), 1.2);
    EXPECT_NE(found.word("residuals"), "");
    SolveOptions splitting; // whose residuals are of another kind: zeros do not have 1
    splitting.regularisers = {{"tv", 0.01}};
    SolveSummary of_splitting(splitting);
    ImageFrame frame = frame_of({{1, 40, 1.2}}, Stop::iterations);
    frame.late_change = 0.004;
    of_splitting.add(frame);
    EXPECT_TRUE(of_splitting.converged()) << "every such solve ends at its limit";
    EXPECT_EQ(test::lacks(of_splitting.as_text(), {"2 passes", "last 2", "0.4 %"}), "");
    EXPECT_EQ(of_splitting.as_text().find("residual"), std::string::npos);
    frame.late_change = 0.1;
    of_splitting.add(frame);
    EXPECT_FALSE(of_splitting.converged());
    EXPECT_EQ(of_splitting.on_convergence().word("residuals"), "");
    EXPECT_EQ(of_splitting.on_convergence().number("early"), 0);
}

TEST(SolveSummary, ManySolvesAreOneLineOfWorstAndMedian) {
    SolveSummary summary = summary_of({{1, 0.1, 1e-2}, {1, 0.1, 2e-3}}, Stop::iterations);
    summary.add(frame_of({{1, 9e-6}}, Stop::tolerance));
    EXPECT_EQ(test::lacks(summary.as_text(), {"3 solves", "1 to 2 iterations", "asked", "to 0.01",
                                              "median 0.002", "target 0.0001"}),
              "");
    EXPECT_EQ(summary.on_convergence().number("limited"), 2);
    EXPECT_EQ(summary.on_convergence().number("solves"), 3);
    EXPECT_EQ(summary.on_convergence().word("effort"), "1 to 2 iterations");
}

/// The summary of a frame that leaves this of samples of energy 100, a model without
/// regularisation as much.
SolveSummary after(double left, double noise, double most_noise = 0, double left_by_model = 0,
                   const SolveOptions& options = SolveOptions{}) {
    ImageFrame frame = frame_of({{1, 1e-5}}, Stop::tolerance);
    compare_with_samples(frame, 100 - left, 100, noise, most_noise);
    frame.left_by_model = left_by_model / 100;
    SolveSummary summary(options);
    summary.add(frame);
    return summary;
}

TEST(SolveSummary, TheDataLineEndsWithAVerdict) {
    const std::string wrong = "see docs/trust.md";
    const std::string noise = "as noise would";
    const auto lacks = [](const SolveSummary& summary, const std::vector<std::string>& pieces) {
        return test::lacks(summary.samples_in_words(), pieces);
    };
    EXPECT_EQ(summary_of({{1, 1e-5}}, Stop::tolerance).samples_in_words(), "");
    EXPECT_EQ(lacks(after(10, 8), {"10 %", "1.2 times the noise", noise}), "");
    EXPECT_EQ(lacks(after(10, 0, 9), {"10 %", "noise at most 9 %", noise}), "");
    EXPECT_EQ(lacks(after(10, 2), {"10 %", ", 5 times the noise", wrong}), "");
    EXPECT_EQ(lacks(after(10, 0, 2), {"10 %", "at least 5 times", wrong}), "");
    EXPECT_EQ(lacks(after(10, 2, 0, 2.4), {"5 times the noise", "regularisation", "1.2 times"}),
              "");
    EXPECT_EQ(lacks(after(-1e-9, 0), {"0.0001 %", "next to nothing"}), "");
    EXPECT_EQ(lacks(after(0.005, 0, 1e-4), {"0.005 %", "at most 0.0001 %", "next to nothing"}), "");
    SolveSummary two(SolveOptions{});
    for (const double left : {40, 10}) {
        ImageFrame frame = frame_of({{1, 1e-5}}, Stop::tolerance);
        compare_with_samples(frame, 100 - left, 100, 8);
        two.add(frame);
    }
    EXPECT_EQ(lacks(two, {"up to 40 %", "5 times the noise", "1 frame", wrong}), "");
    ImageFrame of_zeros;
    compare_with_samples(of_zeros, 1, 0, 0);
    EXPECT_TRUE(std::isfinite(of_zeros.explained));
}

TEST(SolveSummary, WhatIsLeftIsComparedWithTheNoise) {
    const auto codes = [](const SolveSummary& summary) {
        return test::codes_of(summary.findings());
    };
    const std::vector<std::string> none;
    const std::vector<std::string> unexplained{"data_unexplained"};
    EXPECT_EQ(codes(after(1.9, 1)), none);
    EXPECT_EQ(codes(after(2.1, 1)), unexplained);
    EXPECT_EQ(codes(after(60, 0, 55)), none);
    EXPECT_EQ(codes(after(6.9, 0, 0.19)), unexplained) << "a delay of 0.3 samples";
    EXPECT_EQ(codes(after(0.009, 0, 1e-5)), none) << "little, whatever the noise";
    EXPECT_EQ(codes(after(0.011, 0, 1e-5)), unexplained);
    EXPECT_EQ(codes(after(-1e-9, 0)), none);
}

TEST(SolveSummary, WhatAPenaltyLeavesIsNotTheModels) {
    SolveOptions options{0.01};
    options.regularisers = {{"tv", 0.1}};
    EXPECT_TRUE(after(6, 1, 0, 2.1, options).explains_too_little());
    EXPECT_EQ(after(6, 1, 0, 2.1, options).on_samples().number("by_model"), 1);
    EXPECT_FALSE(after(6, 1, 0, 1.9, options).explains_too_little());
    const SolveSummary smoothed = after(21, 1, 0, 1.9, options);
    EXPECT_TRUE(smoothed.explains_too_little()) << "very much";
    EXPECT_EQ(smoothed.on_samples().number("by_model"), 0);
    EXPECT_DOUBLE_EQ(smoothed.on_samples().number("left_by_model"), 0.019);
    EXPECT_EQ(smoothed.on_samples().number("smooths"), 1);
    EXPECT_EQ(smoothed.on_samples().number("lambda"), 0.01);
    EXPECT_EQ(smoothed.on_samples().number("prior"), 0);
    options.regularisers = {{"anatomical", 0.1}};
    EXPECT_EQ(after(21, 1, 0, 1.9, options).on_samples().number("prior"), 1);
    options.regularisers = {{"band", 0.1}};
    EXPECT_EQ(after(21, 1, 0, 1.9, options).on_samples().number("smooths"), 0)
        << "it is on what was not sampled";
}

TEST(SolveSummary, LambdaIsHeldAgainstWhatTheTransformResolves) {
    const double error = tolerance::normal_equations(1e-6, tolerance::eps);
    EXPECT_EQ(rounded_frame({2}, 0, 1e-6).resolved_lambda, 2 * error);
    EXPECT_EQ(rounded_frame({0}, 0, 1e-6).resolved_lambda, 0) << "a solution of zeros";
    for (const auto& [lambda, lost] :
         {std::pair<double, bool>{0, false}, {1.9 * error, true}, {2.1 * error, false}}) {
        SolveSummary summary(SolveOptions{lambda});
        summary.add(rounded_frame({2}, lambda, 1e-6));
        EXPECT_EQ(summary.lambda_is_lost(), lost) << lambda;
    }
}

TEST(SolveSummary, TheProblemThatIsResolvedWorstDecides) {
    SolveSummary summary(SolveOptions{3e-6});
    summary.add(rounded_frame({1, 4, 2}, 3e-6, 1e-6));
    summary.add(rounded_frame({2}, 3e-6, 1e-6));
    EXPECT_TRUE(summary.lambda_is_lost());
    const double resolved = 4 * tolerance::normal_equations(1e-6, tolerance::eps);
    EXPECT_EQ(summary.on_transforms().code, Found::lambda_unresolved);
    EXPECT_EQ(summary.on_transforms().number("resolved"), resolved);
}

TEST(SolveSummary, TheErrorOfTheImageIsHeldAgainstTheTolerance) {
    // 1000 times the gain of a scan that says nothing of most voxels, lambda 0.01.
    const double bound = 16e-6;
    EXPECT_DOUBLE_EQ(rounded_frame({10}, 0.01, bound).image_error, 1e-3);
    EXPECT_EQ(rounded_frame({10}, 0, bound).image_error, 0) << "nothing is known without lambda";
    EXPECT_GE(rounded_frame({10}, 0.01, 2 * tolerance::eps).image_error, tolerance::eps * 1000)
        << "a good bound does not make a float of fewer roundings";
    for (const auto& [requested, limits] :
         {std::pair<double, bool>{0.9e-3, true}, {1.1e-3, false}}) {
        SolveOptions options{0.01};
        options.image_tolerance = requested;
        SolveSummary summary(options);
        summary.add(rounded_frame({10}, 0.01, bound));
        EXPECT_EQ(summary.precision_limits_image(), limits) << requested;
        EXPECT_EQ(test::has(summary.findings(), Found::transform_errors), limits) << requested;
    }
}

TEST(SolveSummary, WhatLimitsTheTransformsIsFound) {
    const double eps_of_double = std::numeric_limits<double>::epsilon();
    for (const bool exact : {true, false}) {
        for (const bool segments : {true, false}) {
            for (const double epsilon : {tolerance::eps, eps_of_double}) {
                SolveSummary summary(SolveOptions{0.01}, {epsilon, exact, segments});
                summary.add(rounded_frame({10}, 0.01, 16e-6));
                const Finding found = summary.on_transforms();
                EXPECT_EQ(found.number("exact"), exact);
                EXPECT_EQ(found.number("in_double"), epsilon == eps_of_double);
                EXPECT_EQ(found.number("time_segments"), segments);
            }
        }
    }
}

// Without lambda to stop early is what keeps noise out.
TEST(SolveSummary, TheUsualNumberOfIterationsIsNoFailure) {
    const auto found = [](const SolveOptions& options, bool is_requested, double residual) {
        SolvedWith with;
        with.iterations_requested = is_requested;
        SolveSummary summary(options, with);
        summary.add(frame_of({{1, residual}}, Stop::iterations));
        return test::codes_of(summary.findings());
    };
    const std::vector<std::string> not_converged{"not_converged"};
    EXPECT_TRUE(found({}, false, 0.01).empty());
    EXPECT_TRUE(found({}, true, 0.01).empty());
    EXPECT_TRUE(found(SolveOptions{0.01}, true, 0.01).empty()) << "a fact of the summary";
    EXPECT_EQ(found({}, true, 1.2), not_converged) << "no solution";
    EXPECT_EQ(found({}, false, 1.2), not_converged) << "no solution";
    EXPECT_EQ(found(SolveOptions{0.01}, false, 0.01), not_converged)
        << "what lambda regularises is to be solved";
}

TEST(CoilMaps, TheSumOfTheirSquaresIsOverVoxelsThatTheySee) {
    CoilMatrix maps(2, 3);
    maps << 1, 0, Complex(0, 1), Complex(1, 1), 0, 0;
    const SumOfSquares squares = sum_of_squares(maps);
    EXPECT_EQ(squares.largest, 3);
    EXPECT_EQ(squares.mean, 2);
    EXPECT_EQ(squares.voxels, 2U);
}

} // namespace
} // namespace lsrecon
