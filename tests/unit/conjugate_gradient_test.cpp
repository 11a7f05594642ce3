#include "solve/conjugate_gradient.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "encoding/solve.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;

const Complex i(0, 1);

/// Hermitian, and positive: its leading minors are 4, 11 and 18.
Eigen::Matrix3cd small_system() {
    Eigen::Matrix3cd a;
    a << 4, i, 0, -i, 3, 1, 0, 1, 2;
    return a;
}

ComplexVector known_solution() {
    ComplexVector x(3);
    x << 1, i, -2;
    return x;
}

/// A x by hand: 4 - 1, -i + 3i - 2, i - 4.
ComplexVector known_right_hand_side() {
    ComplexVector b(3);
    b << 3, Complex(-2, 2), Complex(-4, 1);
    return b;
}

Solution solved(const Eigen::MatrixXcd& a, const ComplexVector& b, const SolveOptions& options) {
    return conjugate_gradient([&](const ComplexVector& x) -> ComplexVector { return a * x; }, b,
                              options);
}

TEST(ConjugateGradient, SolvesASmallHermitianSystem) {
    const double tolerance = 1e-13;
    const Solution solution = solved(small_system(), known_right_hand_side(), {0, 30, tolerance});
    // The smallest eigenvalue is above 1: ||x - x'|| <= ||b - A x'||.
    EXPECT_TRUE(near(solution.x, known_solution(), 5 * tolerance));
}

TEST(ConjugateGradient, ResidualsStartAtOneAndEndBelowTheTolerance) {
    const Solution solution = solved(small_system(), known_right_hand_side(), {0, 30, 1e-8});
    ASSERT_GE(solution.residuals.size(), 2U);
    EXPECT_DOUBLE_EQ(solution.residuals.front(), 1);
    EXPECT_LE(solution.residuals.back(), 1e-8);
    for (std::size_t n = 1; n < solution.residuals.size(); ++n) {
        EXPECT_LT(solution.residuals[n], solution.residuals[n - 1]) << "iteration " << n;
    }
}

TEST(ConjugateGradient, TheLastResidualIsTheTrueOne) {
    const ComplexVector b = known_right_hand_side();
    for (const int iterations : {1, 2, 3}) {
        const Solution solution = solved(small_system(), b, {0, iterations, 1e-8});
        const double truth = (b - small_system() * solution.x).norm() / b.norm();
        EXPECT_NEAR(solution.residuals.back(), truth, 10 * tolerance::reference(1, 3))
            << iterations << " iterations";
        EXPECT_EQ(solution.residuals.size(), static_cast<std::size_t>(iterations) + 1);
    }
}

// Eigen's error and the norm of its last residual may differ in the last bit.
TEST(ConjugateGradient, CountsEveryIterationOnce) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        test::Random random(seed);
        const Eigen::MatrixXcd factor = random.matrix(40, 40);
        const Eigen::MatrixXcd a = factor.adjoint() * factor;
        EXPECT_EQ(solved(a, random.vector(40), {0, 7, 1e-12}).residuals.size(), 8U) << seed;
    }
}

TEST(ConjugateGradient, SaysWhatEndedIt) {
    const ComplexVector b = known_right_hand_side();
    EXPECT_EQ(solved(small_system(), b, {0, 30, 1e-8}).stop, Stop::tolerance);
    EXPECT_EQ(solved(small_system(), b, {0, 2, 1e-8}).stop, Stop::iterations);
    EXPECT_EQ(solved(small_system(), ComplexVector::Zero(3), {}).stop, Stop::tolerance);
}

TEST(ConjugateGradient, NoToleranceIsMetByZeros) {
    for (const double tolerance : {9.9, 10.0, 11.0, 1e300}) {
        const Solution solution =
            solved(small_system(), known_right_hand_side(), {0, 30, tolerance});
        EXPECT_EQ(solution.residuals.size(), 2U) << tolerance;
        EXPECT_GT(solution.x.norm(), 0) << tolerance;
    }
}

TEST(ConjugateGradient, TheScaleOfTheNumbersDoesNotMatter) {
    for (const double scale : {1e-300, 1e-160, 1e160, 1e300}) {
        const Solution both =
            solved(scale * small_system(), scale * known_right_hand_side(), {0, 30, 1e-12});
        EXPECT_TRUE(near(both.x, known_solution(), 5e-12)) << "operator and data times " << scale;
        const Solution data =
            solved(small_system(), scale * known_right_hand_side(), {0, 30, 1e-12});
        EXPECT_TRUE(near(ComplexVector(data.x / scale), known_solution(), 5e-12))
            << "data times " << scale;
    }
}

TEST(ConjugateGradient, AMultipleOfTheIdentityTakesOneIteration) {
    const Eigen::MatrixXcd twice = 2 * Eigen::MatrixXcd::Identity(3, 3);
    const Solution solution = solved(twice, known_right_hand_side(), {0, 30, 1e-8});
    EXPECT_EQ(solution.residuals.size(), 2U);
    EXPECT_TRUE(
        near(solution.x, ComplexVector(known_right_hand_side() / 2), tolerance::reference(1, 3)));
}

TEST(ConjugateGradient, NothingToSolveGivesZero) {
    const Solution solution = solved(small_system(), ComplexVector::Zero(3), {});
    EXPECT_EQ(solution.x, ComplexVector::Zero(3));
    EXPECT_EQ(solution.residuals, std::vector<double>{0});
}

TEST(ConjugateGradient, AnIndefiniteOperatorIsRefused) {
    Eigen::MatrixXcd a = Eigen::MatrixXcd::Identity(2, 2);
    a(1, 1) = -1;
    EXPECT_THROW(solved(a, ComplexVector::Ones(2), {0, 30, 1e-8}), ToleranceError);
}

TEST(ConjugateGradient, ANegativeOperatorIsRefused) {
    const Eigen::MatrixXcd a = -Eigen::MatrixXcd::Identity(2, 2);
    EXPECT_THROW(solved(a, ComplexVector::Ones(2), {0, 30, 1e-8}), ToleranceError);
}

TEST(ConjugateGradient, AnOperatorThatGivesNaNIsRefused) {
    const auto broken = [](const ComplexVector& x) -> ComplexVector {
        return x * std::numeric_limits<double>::quiet_NaN();
    };
    EXPECT_THROW(conjugate_gradient(broken, known_right_hand_side(), {}), ToleranceError);
    for (const double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        ComplexVector b = known_right_hand_side();
        b(1) = bad;
        EXPECT_THROW(solved(small_system(), b, {}), ToleranceError) << bad;
    }
}

struct Fractions : Reporter {
    void progress(double fraction) override { seen.push_back(fraction); }
    std::vector<double> seen;
};

TEST(ConjugateGradient, ReportsEveryResidualAndHowFarItIs) {
    SolveOptions options{0, 2, 1e-8};
    std::vector<double> residuals;
    options.monitor = [&](const Iteration& iteration) {
        EXPECT_EQ(iteration.problem, 1U);
        EXPECT_EQ(iteration.done, residuals.size());
        residuals.push_back(iteration.residual);
    };
    Fractions report;
    options.monitor = monitor_of(1, 2, options, report);
    const Solution solution = conjugate_gradient(
        [](const ComplexVector& x) -> ComplexVector { return small_system() * x; },
        known_right_hand_side(), options);
    EXPECT_EQ(residuals, solution.residuals);
    EXPECT_EQ(report.seen, (std::vector<double>{0.5, 0.75, 1}));
}

} // namespace
} // namespace lsrecon
