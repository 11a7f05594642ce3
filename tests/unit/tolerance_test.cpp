#include "base/tolerance.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

TEST(Tolerance, OnlySumsInOneFloatLoseDigitsWithTheNumberOfSources) {
    const tolerance::Rounding in_one_float{4, std::numeric_limits<std::size_t>::max()};
    EXPECT_GT(tolerance::direct_transform(in_one_float, 1000000),
              50 * tolerance::direct_transform(in_one_float, 100));
    const tolerance::Rounding in_runs{4, 32};
    EXPECT_EQ(tolerance::direct_transform(in_runs, 1000000),
              tolerance::direct_transform(in_runs, 32));
    EXPECT_LT(tolerance::direct_transform(in_runs, 31), tolerance::direct_transform(in_runs, 32));
}

TEST(Tolerance, BoundsAreSinglePrecisionAndNotMore) {
    EXPECT_LT(tolerance::direct_transform({4, 32}, 4096), 10 * tolerance::eps);
    EXPECT_EQ(tolerance::direct_transform({4, 32, 0}, 4096), 4 * tolerance::eps);
    EXPECT_LT(tolerance::mu(), 8 * tolerance::eps);
    EXPECT_LT(tolerance::reference(1, 5), 128 * std::numeric_limits<double>::epsilon());
}

TEST(Tolerance, ANegativeSumOfWeightsIsNeverInBounds) {
    EXPECT_LT(tolerance::q_at_zero(1), 20 * tolerance::eps);
    EXPECT_LT(tolerance::q_at_zero(std::size_t{1} << 40), 1);
}

TEST(Tolerance, ASmallLambdaAllowsMore) {
    const double of_transform = tolerance::direct_transform({4, 32}, 1000);
    EXPECT_GT(tolerance::solution(of_transform, 0.001),
              9 * tolerance::solution(of_transform, 0.01));
    EXPECT_GT(tolerance::solution(of_transform, 0.01), tolerance::gram(of_transform));
    EXPECT_EQ(tolerance::solution(of_transform, 0), std::numeric_limits<double>::infinity());
}

} // namespace
} // namespace lsrecon
