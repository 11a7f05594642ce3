#include "measure/benchmark.hpp"

#include <gtest/gtest.h>

#include "measure/benchmark_limits.hpp"

namespace lsrecon {
namespace {

/// Units that each set a limit: 160 multiply-adds, 4 native pairs, 1 library pair a second.
const DeviceRates rates{160, 4, 1};

TEST(StoneOperations, CountWhatAPairNeeds) {
    EXPECT_EQ(stone_operations("fhd", 3), 13 + 12 + 6 + 8);
    EXPECT_EQ(stone_operations("fhd", 2), 13 + 12 + 4 + 8);
    EXPECT_EQ(stone_operations("q", 3), 13 + 12 + 6 + 4);
    EXPECT_EQ(stone_operations("q", 2), 13 + 12 + 4 + 4);
}

TEST(LimitOf, IsTheLibrarysTrigonometryForTheFirstRungs) {
    for (const char* const kernel : {"naive", "register", "constant", "struct"}) {
        EXPECT_EQ(limit_of(kernel, "fhd", rates).pairs_per_second, 1) << kernel;
        EXPECT_EQ(limit_of(kernel, "fhd", rates).unit, "sin, cos") << kernel;
    }
}

TEST(LimitOf, IsTheSlowerOfTwoUnitsForNativeTrigonometry) {
    // A sine and a cosine of the tuned kernel serve x and -x.
    for (const auto& [kernel, pairs] : {std::pair("native", 1), std::pair("tuned", 2)}) {
        EXPECT_EQ(limit_of(kernel, "fhd", rates).pairs_per_second, 4 * pairs) << kernel;
        EXPECT_EQ(limit_of(kernel, "fhd", rates).unit, "native") << kernel;
    }
    for (const auto& [kernel, multiply_adds] : {std::pair("native", 16), std::pair("tuned", 5)}) {
        const Limit other = limit_of(kernel, "fhd", {2.0 * multiply_adds, 4, 1});
        EXPECT_EQ(other.pairs_per_second, 2) << kernel;
        EXPECT_EQ(other.unit, "multiply-add") << kernel;
    }
    EXPECT_EQ(
        limit_of("tuned", "fhd", {21, 0.5, 0.5}, "tuned fhd: TRIGONOMETRY=1").pairs_per_second, 2);
}

TEST(LimitOf, NeedsNoTrigonometryWhereItIsSeparable) {
    const Limit fhd = limit_of("separable", "fhd", {160, 0, 0});
    EXPECT_EQ(fhd.pairs_per_second, 80);
    EXPECT_EQ(fhd.unit, "multiply-add");
    EXPECT_EQ(limit_of("separable", "f", {160, 0, 0}).pairs_per_second, 80);
    const Limit in_doubles = limit_of("separable", "fhd", {160, 0, 0, 320}, "FORM=2");
    EXPECT_EQ(in_doubles.pairs_per_second, 160);
    EXPECT_EQ(in_doubles.unit, "fp64 matrix");
}

TEST(LimitOf, FHasNoImageInTheTunedKernel) {
    EXPECT_EQ(limit_of("tuned", "f", rates).pairs_per_second, 4);
}

TEST(LimitOf, CountsPairsOfQThatAreNotComputed) {
    EXPECT_EQ(limit_of("separable", "q", rates).pairs_per_second, 160);
    EXPECT_EQ(limit_of("struct", "q", rates).pairs_per_second, 2);
    EXPECT_EQ(limit_of("native", "q", {14, 4, 1}).pairs_per_second, 2);
}

TEST(LimitOf, IsKnownForEveryKernelOfTheCatalogue) {
    for (const std::string& kernel : kernel_names()) {
        EXPECT_GT(limit_of(kernel, "fhd", rates).pairs_per_second, 0) << kernel;
        EXPECT_FALSE(limit_of(kernel, "q", rates).unit.empty()) << kernel;
    }
    EXPECT_EQ(limit_of("reference", "fhd", rates).pairs_per_second, 0);
}

CrossoverRow row(double pairs, double reference, double device) {
    CrossoverRow result;
    result.pairs = pairs;
    result.reference_seconds = reference;
    result.device_seconds = device;
    return result;
}

TEST(CrossoverPairs, LieBetweenTwoSizesOnLogarithmicScales) {
    // Half as fast at 100 pairs and twice as fast at 10000: equal at 1000.
    const auto pairs = crossover_pairs({row(100, 1, 2), row(10000, 4, 2)});
    ASSERT_TRUE(pairs);
    EXPECT_NEAR(*pairs, 1000, 1e-9);
}

TEST(CrossoverPairs, AreThoseAfterTheLastSizeThatTheLoopsWin) {
    const auto pairs =
        crossover_pairs({row(1, 2, 1), row(100, 1, 2), row(10000, 4, 2), row(1000000, 9, 2)});
    ASSERT_TRUE(pairs);
    EXPECT_NEAR(*pairs, 1000, 1e-9);
}

TEST(CrossoverPairs, DoNotExistWhereOneSideWinsAtTheEnd) {
    EXPECT_FALSE(crossover_pairs({row(1, 2, 1), row(100, 2, 1)}));
    EXPECT_FALSE(crossover_pairs({row(1, 1, 2), row(100, 1, 2)}));
    EXPECT_FALSE(crossover_pairs({}));
}

} // namespace
} // namespace lsrecon
