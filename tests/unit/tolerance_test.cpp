#include "base/tolerance.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

TEST(Tolerance, OnlyTheNaiveKernelLosesDigitsWithTheNumberOfSources) {
    EXPECT_GT(tolerance::direct_transform("naive", 1000000),
              50 * tolerance::direct_transform("naive", 100));
    for (const char* const kernel : {"register", "constant", "struct", "native", "separable"}) {
        EXPECT_EQ(tolerance::direct_transform(kernel, 1000000),
                  tolerance::direct_transform(kernel, 2000))
            << kernel;
    }
}

TEST(Tolerance, BoundsAreSinglePrecisionAndNotMore) {
    for (const char* const kernel : {"register", "constant", "struct", "native", "separable"}) {
        EXPECT_LT(tolerance::direct_transform(kernel, 4096), 32 * tolerance::eps) << kernel;
    }
    EXPECT_LT(tolerance::mu(), 8 * tolerance::eps);
    EXPECT_LT(tolerance::reference(1, 5), 128 * std::numeric_limits<double>::epsilon());
}

TEST(Tolerance, AnUnknownKernelHasNoBound) {
    EXPECT_THROW(tolerance::direct_transform("separable and tuned", 10), std::logic_error);
    EXPECT_THROW(tolerance::direct_transform("", 10), std::logic_error);
}

TEST(Tolerance, ANegativeSumOfWeightsIsNeverInBounds) {
    EXPECT_LT(tolerance::q_at_zero(1), 20 * tolerance::eps);
    EXPECT_LT(tolerance::q_at_zero(std::size_t{1} << 40), 1);
}

TEST(Tolerance, SumsInDoublesAreHeldToMore) {
    EXPECT_LT(tolerance::separable_in_doubles(),
              tolerance::direct_transform("separable", 1000) / 10);
}

TEST(Tolerance, ASmallLambdaAllowsMore) {
    const double of_transform = tolerance::direct_transform("struct", 1000);
    EXPECT_GT(tolerance::solution(of_transform, 0.001),
              9 * tolerance::solution(of_transform, 0.01));
    EXPECT_GT(tolerance::solution(of_transform, 0.01), tolerance::gram(of_transform));
    EXPECT_EQ(tolerance::solution(of_transform, 0), std::numeric_limits<double>::infinity());
}

} // namespace
} // namespace lsrecon
