#include "solve/curves.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace lsrecon {
namespace {

/// Residuals 5, 6, ... over lambda 1e-3, 1e-2, ...
LambdaCurve curve_of(double noise) {
    LambdaCurve curve;
    curve.data = 100;
    curve.noise = noise;
    for (std::size_t i = 0; i < 5; ++i) {
        LambdaPoint point;
        point.lambda = 1e-3 * std::pow(10, static_cast<double>(i));
        point.residual = 5 + static_cast<double>(i);
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
        EXPECT_EQ(error.fault().file, "s.h5");
        EXPECT_NE(error.fault().next_step.find("`lambda`"), std::string::npos);
        return error.fault().found;
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

TEST(LambdaRules, HeldOutSamplesNeedNoCurveOfResiduals) {
    ASSERT_NE(lambda_rule("auto"), nullptr);
    EXPECT_EQ(lambda_rule("auto")->choose, nullptr);
    EXPECT_EQ(lambda_rule("gcv"), nullptr);
}

} // namespace
} // namespace lsrecon
