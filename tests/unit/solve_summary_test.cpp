#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/scan.hpp"
#include "solve/summary.hpp"

namespace lsrecon {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Problems of one voxel, of these histories.
Solved solved(const ResidualHistories& histories, Stop stop) {
    const auto problems = static_cast<Eigen::Index>(histories.size());
    return {CoilMatrix::Ones(problems, 1), histories, std::vector<Stop>(histories.size(), stop),
            "a solver"};
}

SolveSummary summary_of(const ResidualHistories& histories, Stop stop) {
    SolveSummary summary(SolveOptions{});
    const auto problems = static_cast<Eigen::Index>(histories.size());
    summary.add(CoilMatrix::Ones(problems, 1), solved(histories, stop), 1, 1e-6);
    return summary;
}

TEST(SolveSummary, OneSolveThatTheLimitEnded) {
    const SolveSummary summary = summary_of({{1, 0.1, 3.14e-3}}, Stop::iterations);
    EXPECT_FALSE(summary.kept_tolerance());
    EXPECT_EQ(summary.as_text(),
              "stopped at 2 iterations with residual 0.0031 (asked 0.0001): the iteration limit "
              "ended the solve; more: --iterations");
}

TEST(SolveSummary, OneSolveThatKeptTheTolerance) {
    const SolveSummary summary = summary_of({{1, 9e-6}}, Stop::tolerance);
    EXPECT_TRUE(summary.kept_tolerance());
    EXPECT_EQ(summary.as_text(), "stopped at 1 iteration with residual 9e-06 (asked 0.0001): the "
                                 "tolerance ended the solve");
}

TEST(SolveSummary, AtTheLimitAndWithinTheToleranceIsNoWarning) {
    const SolveSummary summary = summary_of({{1, 0.1, 5e-5}}, Stop::iterations);
    EXPECT_TRUE(summary.kept_tolerance());
    EXPECT_THAT(summary.as_text(), HasSubstr("the iteration limit ended"));
    EXPECT_THAT(summary.as_text(), Not(HasSubstr("more:")));
}

TEST(SolveSummary, ManySolvesAreOneLineOfWorstAndMedian) {
    SolveSummary summary = summary_of({{1, 0.1, 1e-2}, {1, 0.1, 2e-3}}, Stop::iterations);
    summary.add(CoilMatrix::Ones(1, 1), solved({{1, 9e-6}}, Stop::tolerance), 1, 1e-6);
    EXPECT_EQ(summary.as_text(),
              "3 solves stopped at 1 to 2 iterations with residuals up to 0.01, median 0.002 "
              "(asked 0.0001): the iteration limit ended 2 of them; more: --iterations");
}

TEST(SolveSummary, LambdaIsHeldAgainstWhatTheTransformResolves) {
    ComplexVector b(2);
    b << 3, 4;
    ComplexVector x(2);
    x << 0, 0.25;
    // ||b|| = 5 and ||x|| = 1/4, in units of Q(0) = 10.
    EXPECT_DOUBLE_EQ(resolved_lambda(1e-6, b, x, 10), 2e-6);
    EXPECT_EQ(resolved_lambda(1e-6, b, ComplexVector::Zero(2), 10), 0);
    for (const auto& [lambda, lost] :
         {std::pair<double, bool>{0, false}, {1.9e-6, true}, {2.1e-6, false}}) {
        SolveSummary summary(SolveOptions{lambda});
        const Solved one{x.transpose(), {{1, 0.1}}, {Stop::iterations}, ""};
        summary.add(b.transpose(), one, 10, 1e-6);
        EXPECT_EQ(summary.lambda_is_lost(), lost) << lambda;
        EXPECT_THAT(summary.about_lambda(), HasSubstr("2e-06"));
    }
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
