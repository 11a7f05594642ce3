#include "solve/lambda_rules.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace lsrecon {
namespace {

/// Residuals 5, 6, ... over lambda 1e-3, 1e-2, ..., all solved. Without samples there is nothing to
/// predict.
LambdaCurve curve_of(double noise) {
    LambdaCurve curve;
    curve.data = 100;
    curve.noise = noise;
    const std::vector<double> curvature{-1, 0.5, 3, 1, -2};
    for (std::size_t i = 0; i < 5; ++i) {
        LambdaPoint point;
        point.lambda = 1e-3 * std::pow(10, static_cast<double>(i));
        point.residual = 5 + static_cast<double>(i);
        point.curvature = curvature[i];
        curve.points.push_back(point);
    }
    return curve;
}

std::size_t chosen(const std::string& word, const LambdaCurve& curve) {
    return lambda_rule(word)->choose(curve, "s.h5").index;
}

std::string refusal(const std::string& word, const LambdaCurve& curve) {
    try {
        chosen(word, curve);
    } catch (const InputError& error) {
        EXPECT_EQ(error.finding().file, "s.h5");
        EXPECT_NE(error.finding().next_step.find("`lambda`"), std::string::npos);
        return error.finding().found;
    }
    return "none";
}

TEST(LambdaRules, DiscrepancyIsTheLargestThatStaysWithinTheNoise) {
    EXPECT_EQ(chosen("discrepancy", curve_of(7.5)), 2U);
    EXPECT_EQ(chosen("discrepancy", curve_of(7)), 2U);
    EXPECT_EQ(chosen("discrepancy", curve_of(5)), 0U);
    EXPECT_NE(refusal("discrepancy", curve_of(4)).find("1.2 times"), std::string::npos);
    EXPECT_NE(refusal("discrepancy", curve_of(9)).find("below the measured noise"),
              std::string::npos);
    EXPECT_NE(refusal("discrepancy", curve_of(200)).find("0.5"), std::string::npos);
}

TEST(LambdaRules, TheCornerIsAmongWhatIsSolved) {
    EXPECT_EQ(chosen("auto", curve_of(0)), 2U);
    EXPECT_EQ(lambda_rule("auto")->choose(curve_of(0), "s.h5").why,
              "the corner of the L-curve, because cross-validation has no minimum");
    LambdaCurve early = curve_of(0);
    early.points[0].unsolved = early.points[1].unsolved = 1;
    EXPECT_EQ(chosen("auto", early), 1U) << "the first that is solved may be no corner";
    early.points[3].curvature = 4;
    EXPECT_EQ(chosen("auto", early), 3U);
}

TEST(LambdaRules, WithoutACornerItIsTheLeast) {
    constexpr std::size_t hundredth = 1;
    LambdaCurve straight = curve_of(0);
    for (LambdaPoint& point : straight.points) {
        point.curvature = -3;
    }
    EXPECT_EQ(chosen("auto", straight), hundredth);
    EXPECT_NE(lambda_rule("auto")->choose(straight, "s.h5").why.find("no corner"),
              std::string::npos);
    LambdaCurve early = curve_of(0);
    early.points[0].curvature = 10;
    EXPECT_EQ(chosen("auto", early), 2U) << "corners below a hundredth are none";
    LambdaCurve unsolved = curve_of(0);
    for (LambdaPoint& point : unsolved.points) {
        point.unsolved = 1000;
    }
    EXPECT_EQ(chosen("auto", unsolved), hundredth);
    LambdaCurve noiseless = curve_of(0);
    noiseless.points[0].residual = 0.4; // a twelfth of the next
    for (LambdaPoint& point : noiseless.points) {
        point.curvature = -3;
    }
    EXPECT_EQ(chosen("auto", noiseless), 0U);
    noiseless.points[0].residual = -1e-9; // rounding
    EXPECT_EQ(chosen("auto", noiseless), 0U);
    LambdaCurve coarse = curve_of(0); // begins where its precision resolves lambda
    coarse.points.erase(coarse.points.begin(), coarse.points.end() - 1);
    EXPECT_EQ(chosen("auto", coarse), 0U);
}

/// 40 samples; residuals 5, 6, 9, 20, 39 over lambda 1e-3, 1e-2, ...
LambdaCurve followed_curve(const std::vector<double>& freedom) {
    LambdaCurve curve = curve_of(0);
    curve.samples = 40;
    const std::vector<double> residual{5, 6, 9, 20, 39};
    for (std::size_t i = 0; i < 5; ++i) {
        curve.points[i].residual = residual[i];
        curve.points[i].freedom = curve.points[i].freedom_squared = freedom[i];
    }
    return curve;
}

TEST(LambdaRules, CrossValidationPredictsSamplesFromTheOthers) {
    // R / (1 - f/40)^2: 20, 12.2, 16, 26.1, 41.1, each times 0.3 + 0.7 f/40: 13, 6.27, 8.8, 10.8
    EXPECT_EQ(chosen("auto", followed_curve({20, 12, 10, 5, 1})), 1U);
    // 40.8, 38.9, 39.9, 41, 74: nearly the same at three decades, of which the image that follows
    // least is chosen.
    const LambdaCurve flat = followed_curve({26, 24.3, 21, 12.06, 11});
    EXPECT_EQ(chosen("auto", flat), 3U);
    LambdaCurve small = followed_curve({20, 12, 10, 5, 1});
    for (LambdaPoint& point : small.points) {
        point.lambda /= 1000;
    }
    EXPECT_EQ(chosen("auto", small), 2U) << "none below 1e-4";
    EXPECT_EQ(chosen("auto", followed_curve({20, 0, 0, 0, 0})), 1U);
    EXPECT_EQ(lambda_rule("auto")->choose(flat, "s.h5").rule, "gcv");
}

TEST(LambdaRules, TheCornerServesWhereCrossValidationHasNoMinimum) {
    const auto rule = [](const LambdaCurve& curve) {
        return lambda_rule("auto")->choose(curve, "s.h5").rule;
    };
    EXPECT_EQ(rule(followed_curve({38.5, 12, 10, 5, 1})), "l-curve") << "nothing is left";
    LambdaCurve noise = followed_curve({30, 20, 10, 5, 1});
    for (LambdaPoint& point : noise.points) {
        point.residual = 40;
    }
    EXPECT_EQ(rule(noise), "l-curve") << "the largest lambda is the best";
}

TEST(LambdaRules, AChoiceIsSettledOnceThreeCurvesAgree) {
    SettledLambda settled;
    const auto after = [&](int iterations, double lambda) {
        settled.add(iterations, lambda);
        return settled.is_settled();
    };
    EXPECT_FALSE(after(4, 0.01));
    EXPECT_FALSE(after(8, 0.01));
    EXPECT_TRUE(after(12, 0.01));
    EXPECT_TRUE(after(12, 0.01)) << "the same curve again";
    EXPECT_FALSE(after(12, 0.02)) << "whose residual is known better now";
    EXPECT_FALSE(after(16, 0.02));
    EXPECT_TRUE(after(20, 0.02));
    EXPECT_FALSE(after(4, 0.02)) << "a run that begins anew";
    EXPECT_FALSE(after(8, 0.02));
    EXPECT_FALSE(SettledLambda().is_settled());
    SettledLambda few;
    for (int iterations = 1; iterations < 12; ++iterations) {
        few.add(iterations, 0.01);
        EXPECT_FALSE(few.is_settled()) << iterations;
    }
}

} // namespace
} // namespace lsrecon
