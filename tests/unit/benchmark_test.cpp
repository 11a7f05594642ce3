#include "measure/benchmark.hpp"

#include <gtest/gtest.h>

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

TEST(LimitOf, IsTheSlowerOfTwoUnits) {
    const PairCost of_library{library_trigonometry, 16, 14};
    EXPECT_EQ(limit_of(of_library, "fhd", rates).pairs_per_second, 1);
    EXPECT_EQ(limit_of(of_library, "fhd", rates).unit, "sin, cos");
    const PairCost of_hardware{native_trigonometry, 16, 14};
    EXPECT_EQ(limit_of(of_hardware, "fhd", rates).pairs_per_second, 4);
    EXPECT_EQ(limit_of(of_hardware, "fhd", rates).unit, "native");
    const Limit other = limit_of(of_hardware, "fhd", {32, 4, 1});
    EXPECT_EQ(other.pairs_per_second, 2);
    EXPECT_EQ(other.unit, "multiply-add");
}

TEST(LimitOf, NeedsNoTrigonometryWhereThereIsNone) {
    const PairCost products{no_unit, 4, 2};
    EXPECT_EQ(limit_of(products, "fhd", {160, 0, 0}).pairs_per_second, 40);
    EXPECT_EQ(limit_of(products, "fhd", {160, 0, 0}).unit, "multiply-add");
    const PairCost in_doubles{no_unit, 4, 2, 1, 1, matrix_unit};
    EXPECT_EQ(limit_of(in_doubles, "fhd", {160, 0, 0, 320}).pairs_per_second, 80);
    EXPECT_EQ(limit_of(in_doubles, "fhd", {160, 0, 0, 320}).unit, "fp64 matrix");
}

TEST(LimitOf, CountsPairsThatAreNotComputed) {
    const PairCost mirrored{native_trigonometry, 10, 8, 2, 1};
    EXPECT_EQ(limit_of(mirrored, "fhd", rates).pairs_per_second, 8);
    EXPECT_EQ(limit_of(mirrored, "f", rates).pairs_per_second, 4);
    EXPECT_EQ(limit_of({no_unit, 4, 2, 1, 2}, "f", rates).pairs_per_second, 80);
    // Those of Q are counted over all differences.
    EXPECT_EQ(limit_of({no_unit, 4, 2}, "q", rates).pairs_per_second, 160);
    EXPECT_EQ(limit_of({native_trigonometry, 16, 14}, "q", {14, 4, 1}).pairs_per_second, 2);
}

TEST(LimitOf, IsUnknownWhereNothingIsKnown) {
    EXPECT_EQ(limit_of({}, "fhd", rates).pairs_per_second, 0);
    EXPECT_EQ(limit_of(reference_transforms()->cost_of_pair("q"), "q", rates).unit, "");
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
