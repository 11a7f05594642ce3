#include "base/tolerance.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

TEST(Tolerance, TheNaiveKernelLosesMostDigitsAndTheSeparableNone) {
    const std::size_t few = 100;
    const std::size_t many = 1000000;
    for (const char* const kernel : {"register", "constant", "struct"}) {
        EXPECT_LT(tolerance::direct_transform(kernel, many),
                  tolerance::direct_transform("naive", many))
            << kernel;
        EXPECT_EQ(tolerance::direct_transform(kernel, many),
                  tolerance::direct_transform("struct", many));
    }
    EXPECT_GT(tolerance::direct_transform("naive", many),
              50 * tolerance::direct_transform("naive", few));
    EXPECT_EQ(tolerance::direct_transform("separable", many),
              tolerance::direct_transform("separable", few));
}

TEST(Tolerance, BoundsAreSinglePrecisionAndNotMore) {
    for (const char* const kernel : {"register", "constant", "struct", "native", "separable"}) {
        EXPECT_LT(tolerance::direct_transform(kernel, 1), 32 * tolerance::eps) << kernel;
        EXPECT_LT(tolerance::direct_transform(kernel, 4096), 1024 * tolerance::eps) << kernel;
    }
    EXPECT_LT(tolerance::mu(), 8 * tolerance::eps);
    EXPECT_LT(tolerance::reference(1, 5), 128 * std::numeric_limits<double>::epsilon());
}

TEST(Tolerance, ASmallLambdaAllowsMore) {
    EXPECT_GT(tolerance::solution("struct", 1000, 0.001),
              9 * tolerance::solution("struct", 1000, 0.01));
    EXPECT_GT(tolerance::solution("struct", 1000, 0.01), tolerance::gram("struct", 1000));
    EXPECT_EQ(tolerance::solution("struct", 1000, 0), std::numeric_limits<double>::infinity());
}

} // namespace
} // namespace lsrecon
