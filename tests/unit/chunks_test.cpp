#include "engines/pieces.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

/// Positions in high and low parts of floats, complex values: 24 bytes and 8 a coil.
const SourceShape floats;

void expect_ranges(std::size_t total, std::size_t length,
                   const std::vector<std::size_t>& expected_counts) {
    const std::vector<Range> ranges = split_into_ranges(total, length);
    ASSERT_EQ(ranges.size(), expected_counts.size()) << total << " by " << length;
    std::size_t first = 0;
    for (std::size_t r = 0; r < ranges.size(); ++r) {
        EXPECT_EQ(ranges[r].first, first);
        EXPECT_EQ(ranges[r].count, expected_counts[r]);
        first += ranges[r].count;
    }
    EXPECT_EQ(first, total);
}

TEST(Chunks, RangesCoverEverythingOnce) {
    expect_ranges(0, 4, {});
    expect_ranges(1, 4, {1});
    expect_ranges(4, 4, {4});
    expect_ranges(5, 4, {4, 1});
    expect_ranges(8, 4, {4, 4});
    expect_ranges(4161, 2048, {2048, 2048, 65});
    expect_ranges(3, 1, {1, 1, 1});
}

TEST(Chunks, CoilGroupsAreOfEqualSizeAndAtMostEight) {
    const std::vector<std::array<std::size_t, 3>> expected{
        // coils, bundles, coils in each
        {0, 1, 1}, {1, 1, 1}, {7, 1, 7}, {8, 1, 8}, {9, 2, 5}, {12, 2, 6}, {17, 3, 6}, {32, 4, 8}};
    for (const auto& [coils, bundles, each] : expected) {
        const TransformPlan plan = plan_transform({}, coils, floats);
        EXPECT_EQ(plan.coil_bundles, bundles) << coils << " coils";
        EXPECT_EQ(plan.coils_per_bundle, each) << coils << " coils";
    }
}

TEST(Chunks, FillConstantMemoryUpTo2048) {
    const DeviceLimits limits; // 64 KiB
    EXPECT_EQ(plan_transform(limits, 1, floats).sources_per_chunk, 2048U);
    EXPECT_EQ(plan_transform(limits, 8, floats).sources_per_chunk, 65536U / 88);
    EXPECT_EQ(plan_transform({1 << 20, 1 << 30}, 8, floats).sources_per_chunk, 2048U);
    EXPECT_EQ(plan_transform({1, 1 << 30}, 8, floats).sources_per_chunk, 1U);
}

TEST(Chunks, DoublesTakeTwiceTheRoomAndRealValuesHalf) {
    const DeviceLimits limits;
    EXPECT_EQ(plan_transform(limits, 8, {8, 6, 2}).sources_per_chunk, 65536U / 176);
    EXPECT_EQ(plan_transform(limits, 8, {4, 6, 1}).sources_per_chunk, 65536U / 56);
    EXPECT_EQ(plan_transform({65536, 1 << 20}, 2, {8, 6, 2}).points_per_block, 1U << 14);
}

TEST(Chunks, BlocksFitOneAllocation) {
    EXPECT_EQ(plan_transform({65536, 1 << 30}, 1, floats).points_per_block, 1U << 21);
    EXPECT_EQ(plan_transform({65536, 1 << 20}, 2, floats).points_per_block, 1U << 15);
    EXPECT_EQ(plan_transform({65536, 1}, 2, floats).points_per_block, 1U);
}

} // namespace
} // namespace lsrecon
