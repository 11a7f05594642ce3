// Slices of a field map whose fields differ by multiples of 1 / echo distance.

#include "model/slice_periods.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

SliceField slice_at(double z, double field, std::size_t voxels) {
    SliceField slice;
    slice.label = "slice " + std::to_string(int(z));
    slice.position = Vec3{0, 0, z};
    slice.of.period = 100;
    slice.of.field = RealVector::Constant(64, field);
    slice.of.mask.assign(64, false);
    std::fill_n(slice.of.mask.begin(), voxels, true);
    slice.of.pieces.push_back({voxels, field});
    return slice;
}

TEST(SlicePeriods, NeighboursAgree) {
    EchoFieldMap map;
    map.grid.size = {8, 8, 1};
    for (const auto& [z, field] : {std::pair(3.0, -47.0), {0.0, 20.0}, {2.0, 45.0}, {1.0, -70.0}}) {
        map.slices.push_back(slice_at(z, field, z == 0 ? 60 : 50));
    }
    agree_on_periods(map);
    EXPECT_TRUE(map.unsure.empty());
    const double expected[] = {53, 20, 45, 30};
    for (std::size_t s = 0; s < map.slices.size(); ++s) {
        EXPECT_DOUBLE_EQ(map.slices[s].of.field(0), expected[s]);
        EXPECT_DOUBLE_EQ(map.slices[s].of.pieces[0].median, expected[s]);
    }
}

TEST(SlicePeriods, HalfAPeriodOrFewVoxelsAreUnsure) {
    EchoFieldMap map;
    map.grid.size = {8, 8, 1};
    map.slices = {slice_at(0, 0, 60), slice_at(1, 50, 40), slice_at(2, 100, 4)};
    agree_on_periods(map);
    EXPECT_EQ(map.unsure, (std::vector<std::string>{"slice 1", "slice 2"}));
    EXPECT_EQ(map.slices[2].of.field(0), 100);
}

} // namespace
} // namespace lsrecon
