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

TEST(SolveSummary, WhatTheImageLeavesOfTheSamplesIsReported) {
    ImageFrame frame = frame_of({{1, 1e-5}}, Stop::tolerance);
    const SolveSummary unknown = summary_of({{1, 1e-5}}, Stop::tolerance);
    EXPECT_EQ(unknown.samples_in_words(), "");
    EXPECT_FALSE(unknown.explains_too_little());
    const auto about = [&](double explained, double noise) {
        compare_with_samples(frame, explained, 200, noise);
        SolveSummary summary(SolveOptions{});
        summary.add(frame);
        return summary;
    };
    EXPECT_EQ(about(180, 16).samples_in_words(), "10 % unexplained, 1.2 times the noise");
    EXPECT_FALSE(about(180, 16).explains_too_little());
    compare_with_samples(frame, 180, 200, 0, 18);
    SolveSummary by_edge(SolveOptions{});
    by_edge.add(frame);
    EXPECT_EQ(by_edge.samples_in_words(), "10 % unexplained, noise at most 9 %");
    EXPECT_EQ(test::codes_of(about(180, 8).findings()),
              std::vector<std::string>{"data_unexplained"});
    EXPECT_FALSE(about(162, 0).explains_too_little()) << "19 %";
    EXPECT_TRUE(about(158, 0).explains_too_little()) << "21 %";
    EXPECT_DOUBLE_EQ(about(80, 0).on_samples().number("left"), 0.6);
    EXPECT_DOUBLE_EQ(about(4, 0).on_samples().number("left"), 0.98);
    EXPECT_EQ(about(4, 0).on_samples().word("samples"), "98 % unexplained");
    EXPECT_FALSE(about(4, 190).explains_too_little()) << "noise alone";
    EXPECT_EQ(about(200 + 1e-9, 0).samples_in_words(), "0.0001 % unexplained");
    const auto causes = [&](const std::string& regulariser, Stop stop) {
        SolveOptions options{0.01};
        options.regularisers = {{regulariser, 0.1}};
        SolveSummary summary(options);
        ImageFrame far = frame_of({{1, 1e-3}}, stop);
        compare_with_samples(far, 80, 200, 0);
        summary.add(far);
        return summary.on_samples();
    };
    EXPECT_EQ(causes("tv", Stop::tolerance).number("lambda"), 0.01);
    EXPECT_EQ(causes("tv", Stop::tolerance).number("smooths"), 1);
    EXPECT_EQ(causes("band", Stop::tolerance).number("smooths"), 0)
        << "it is on what was not sampled";
    EXPECT_EQ(causes("tv", Stop::tolerance).number("prior"), 0);
    EXPECT_EQ(causes("tv", Stop::tolerance).number("limited"), 0);
    EXPECT_EQ(causes("tv", Stop::iterations).number("limited"), 1);
    EXPECT_EQ(causes("anatomical", Stop::tolerance).number("prior"), 1);
    EXPECT_EQ(about(80, 0).on_samples().number("coil_maps"), 1);
    EXPECT_EQ(about(80, 0).on_samples().number("field_map"), 1);
    SolvedWith one_coil;
    one_coil.coil_maps = false;
    one_coil.field_map = false;
    SolveSummary of_one_coil(SolveOptions{}, one_coil);
    compare_with_samples(frame, 80, 200, 0);
    of_one_coil.add(frame);
    EXPECT_EQ(of_one_coil.on_samples().number("coil_maps"), 0);
    EXPECT_EQ(of_one_coil.on_samples().number("field_map"), 0);
    // The least of all frames.
    SolveSummary two(SolveOptions{});
    for (const double explained : {120.0, 180.0}) {
        compare_with_samples(frame, explained, 200, 0);
        two.add(frame);
    }
    EXPECT_EQ(two.samples_in_words(), "up to 40 % unexplained");
    compare_with_samples(frame, 1, 0, 0);
    EXPECT_TRUE(std::isfinite(frame.explained)) << "of samples that are zeros";
}

TEST(SolveSummary, WhatNoiseMayLeaveIsNoFault) {
    const auto explains_too_little = [](double unexplained, double noise, double most_noise,
                                        double lambda = 0.01, const std::string& regulariser = "") {
        SolveOptions options{lambda};
        if (!regulariser.empty()) {
            options.regularisers = {{regulariser, 0.1}};
        }
        ImageFrame frame = frame_of({{1, 1e-5}}, Stop::tolerance);
        compare_with_samples(frame, 100 - unexplained, 100, noise, most_noise);
        SolveSummary summary(options);
        summary.add(frame);
        return summary.explains_too_little();
    };
    EXPECT_TRUE(explains_too_little(60, 0, 5)) << "of which 5 % are noise at most";
    EXPECT_FALSE(explains_too_little(60, 0, 55));
    EXPECT_FALSE(explains_too_little(15, 0, 1));
    EXPECT_TRUE(explains_too_little(15, 0, 1, 1)) << "of samples that contradict each other";
    EXPECT_FALSE(explains_too_little(15, 0, 14, 1));
    EXPECT_TRUE(explains_too_little(2.5, 1, 0)) << "more than twice the noise that was measured";
    EXPECT_FALSE(explains_too_little(2.5, 1, 0, 0.01, "tv")) << "a penalty leaves more";
    EXPECT_FALSE(explains_too_little(60, 40, 0, 0.01, "tv"));
    EXPECT_TRUE(explains_too_little(6, 1, 0, 0.01, "tv"));
    EXPECT_TRUE(explains_too_little(2.5, 1, 0, 0.01, "band")) << "it is on what was not sampled";
    EXPECT_TRUE(explains_too_little(45, 0, 1, 0, "tv"));
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
