// What errors do to images of iterations that can be done by hand.

#include "solve/lanczos.hpp"

#include <gtest/gtest.h>

#include "encoding/solve.hpp"
#include "encoding/summary.hpp"

namespace lsrecon {
namespace {

/// Of A = diag(1, 4) and b = (3, 4) / 5, whose second iteration is exact.
Iterations one_iteration() {
    const double alpha = 1 / (9.0 / 25 + 4 * 16.0 / 25); // b^H b / b^H A b
    const double r =
        9.0 / 25 * (1 - alpha) * (1 - alpha) + 16.0 / 25 * (1 - 4 * alpha) * (1 - 4 * alpha);
    // The product of all alphas is that of the inverse eigenvalues.
    return {{alpha}, {r}, 1.0 / 4 / alpha};
}

TEST(Sensitivity, IsThatOfThePolynomialOfTheIterations) {
    Iterations run = one_iteration();
    const double alpha = run.alphas[0];
    const Amplification by_one = Sensitivity(run, 0).amplification();
    EXPECT_DOUBLE_EQ(by_one.of_any, alpha) << "one step is the same in all directions";
    const double next = run.next_alpha;
    run.alphas.push_back(next);
    run.betas.push_back(0);
    const Amplification by_two = Sensitivity(run, 0).amplification();
    EXPECT_NEAR(by_two.of_any, 1 + 1.0 / 4, 1e-12) << "the sum of the inverse eigenvalues";
    EXPECT_LE(by_two.of_terms, by_two.of_any);
    EXPECT_GE(by_two.of_terms, 1 - 1e-12) << "where sqrt(t) / t is 1";
}

TEST(Sensitivity, SeesThatOtherStepsAreTaken) {
    constexpr double error = 1e-3;
    const Sensitivity sensitivity(one_iteration(), 0);
    const auto step = [](double b1, double b2) {
        const double alpha = (b1 * b1 + b2 * b2) / (b1 * b1 + 4 * b2 * b2);
        return RealVector{{alpha * b1, alpha * b2}};
    };
    const RealVector x = step(0.6, 0.8);
    double largest = 0;
    for (const double s : {-error, error}) {
        for (const double t : {-error, error}) {
            largest = std::max(largest, (step(0.6 + s, 0.8 + t) - x).norm() / x.norm());
        }
    }
    EXPECT_NEAR(sensitivity.change(error, 1), largest, 1e-9);
    EXPECT_LT(sensitivity.change(error, 100), 0.2 * largest) << "of more directions less in each";
}

TEST(Sensitivity, OfLambdaIsLessForErrorsOfTerms) {
    EXPECT_DOUBLE_EQ(amplification_by(0.01).of_any, 100);
    EXPECT_DOUBLE_EQ(amplification_by(0.01).of_terms, 5);
    EXPECT_DOUBLE_EQ(amplification_by(4).of_terms, 0.25);
}

TEST(EstimateBySamples, TakesTheWorstProblem) {
    const Certificate certificate{{3e-6, 4e-6}, {4e-6, 3e-6}, {}, 16, 0};
    Solved solved;
    solved.gains = {1, 2, 0.5};
    ImageFrame frame;
    estimate_by_certificate(frame, solved, certificate, 0.01, 100);
    EXPECT_DOUBLE_EQ(frame.certificate.image.estimate, 5e-6 * 2 * 5);
    EXPECT_DOUBLE_EQ(frame.certificate.image.upper, 5e-6 * 2 * 100);
    EXPECT_EQ(frame.image_error, frame.certificate.image.estimate);
    ImageFrame unknown;
    estimate_by_certificate(unknown, solved, certificate, 0, 100);
    EXPECT_EQ(unknown.certificate.image.upper, 0)
        << "nothing is known without lambda and iterations";
    EXPECT_EQ(unknown.certificate.fhd.upper, 4e-6);
}

TEST(EstimateBySamples, NeverTakesNoNumberForASmallOne) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    Solved solved;
    solved.gains = {1};
    ImageFrame frame;
    estimate_by_certificate(frame, solved, {{none, none}, {}, {}, 16, 0}, 0.01, 100);
    EXPECT_TRUE(std::isinf(frame.certificate.image.upper));
}

} // namespace
} // namespace lsrecon
