#include "solve/curves.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/message.hpp"

namespace lsrecon {
namespace {

/// The curve of these predictions, from 0.256 on by halves.
WeightCurve curve(const std::vector<double>& predictions, const std::string& name = "tv") {
    WeightCurve result{name, {}};
    double weight = 0.256;
    for (const double prediction : predictions) {
        result.points.push_back({weight, prediction});
        weight /= 2;
    }
    return result;
}

TEST(WeightCurve, BetweenPointsTheLowestIsThatOfAParabola) {
    EXPECT_NEAR(best_weight(curve({1.16, 1.04, 1, 1.04, 1.16})), 0.064, 1e-12);
    // Its lowest point is at half an octave.
    EXPECT_NEAR(best_weight(curve({7.25, 3.25, 1.25, 1.25, 3.25})), 0.064 * std::sqrt(0.5), 1e-12);
}

TEST(WeightCurve, AtAnEndTheLargestThatIsHardlyWorseIsTaken) {
    EXPECT_DOUBLE_EQ(best_weight(curve({1.2, 1.1, 1})), 0.064);
    EXPECT_DOUBLE_EQ(best_weight(curve({1.2, 1.009, 1.001, 1})), 0.128);
    EXPECT_DOUBLE_EQ(best_weight(curve({1})), 0.256);
    EXPECT_DOUBLE_EQ(best_weight(curve({1, 1, 1})), 0.256);
}

TEST(WeightCurve, HasRisenPastItsLowestPointOrWhereItIsFlat) {
    EXPECT_FALSE(has_risen(curve({1})));
    EXPECT_FALSE(has_risen(curve({1.1, 1, 1.004})));
    EXPECT_TRUE(has_risen(curve({1.1, 1, 1.006})));
    EXPECT_TRUE(has_risen(curve({1.0002, 1.0001, 1})));
    EXPECT_FALSE(has_risen(curve({1.003, 1.002, 1})));
}

TEST(WeightCurve, PredictionsAreInterpolatedOverTheLogarithmOfTheWeight) {
    const WeightCurve any = curve({4, 2, 3});
    EXPECT_NEAR(any.prediction_at(0.128 * std::sqrt(2)), 3, 1e-12);
    EXPECT_DOUBLE_EQ(any.prediction_at(0.064), 3);
    EXPECT_DOUBLE_EQ(any.prediction_at(1), 4);
    EXPECT_DOUBLE_EQ(any.prediction_at(0.001), 3);
}

TEST(ChosenSettings, SayHowClearTheChoiceWas) {
    ChosenSettings chosen{{curve({3, 2.8}, by_lambda), curve({2.2, 2, 2.1})}, "tv", 0.128};
    EXPECT_EQ(test::lacks(chosen.in_words(), {"1.4 times better", "half and twice", "5 and 10 %"}),
              "");
    EXPECT_NE(test::lacks(chosen.in_words(), {"flat"}), "");
    chosen.curves[1] = curve({2.002, 2, 2.001});
    EXPECT_EQ(test::lacks(chosen.in_words(), {"1.4 times better", "flat", "half and twice"}), "");
    EXPECT_EQ(chosen.in_words().find('%'), std::string::npos) << chosen.in_words();
    chosen.curves[0] = curve({2.001}, by_lambda);
    EXPECT_NE(chosen.in_words().find("no better than by least squares"), std::string::npos);
    const ChosenSettings single{{curve({2})}, "tv", 0.256};
    EXPECT_EQ(single.in_words(), "");
}

} // namespace
} // namespace lsrecon
