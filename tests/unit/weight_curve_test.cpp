#include "solve/weight_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lsrecon {
namespace {

/// The curve of these predictions, from 0.256 on by halves.
WeightCurve curve(const std::vector<double>& predictions) {
    WeightCurve result{"tv", {}};
    double weight = 0.256;
    for (const double prediction : predictions) {
        result.points.push_back({weight, prediction});
        weight /= 2;
    }
    return result;
}

TEST(WeightCurve, TheSmallestWeightOfHardlyLargerErrorIsTaken) {
    // 1 + 0.04 t^2 with t in factors of two from 0.064: 0.4 % above the lowest is t = -0.316, and
    // between points of the curve errors are interpolated.
    const WeightPoint best = best_weight(curve({1.16, 1.04, 1, 1.04, 1.16}));
    EXPECT_NEAR(best.weight, 0.064 * std::pow(0.5, 0.1), 1e-12);
    EXPECT_DOUBLE_EQ(best.prediction, 1);
}

TEST(WeightCurve, BetweenTwoPointsTheLowestIsThatOfAParabola) {
    // Steep: its lowest point, at t = 1/2, is 1, and no other is within 0.4 %.
    const WeightPoint best = best_weight(curve({7.25, 3.25, 1.25, 1.25, 3.25}));
    EXPECT_NEAR(best.weight, 0.064 * std::pow(0.5, 0.5), 1e-12);
    EXPECT_NEAR(best.prediction, 1.25 - 0.25, 1e-12);
}

TEST(WeightCurve, AFlatCurveTakesASmallWeight) {
    const WeightPoint best = best_weight(curve({1, 1.001, 1.002, 1.003, 1.2}));
    EXPECT_LT(best.weight, 0.032);
    EXPECT_GT(best.weight, 0.016);
}

TEST(WeightCurve, AtAnEndThatPointIsTaken) {
    EXPECT_DOUBLE_EQ(best_weight(curve({1.2, 1.1, 1})).weight, 0.064);
    EXPECT_DOUBLE_EQ(best_weight(curve({1})).weight, 0.256);
}

TEST(WeightCurve, HasRisenAfterTwoPointsThatAreClearlyWorse) {
    EXPECT_FALSE(has_risen(curve({})));
    EXPECT_FALSE(has_risen(curve({1.1, 1, 1.1})));
    EXPECT_TRUE(has_risen(curve({1.1, 1, 1.01, 1.03})));
    EXPECT_FALSE(has_risen(curve({1, 1.001, 1.002, 1.003})));
}

} // namespace
} // namespace lsrecon
