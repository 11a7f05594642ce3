#include "scan/voxels.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

TEST(Voxels, EvenGridStartsAtMinusAHalf) {
    const Voxels voxels = Voxels::of_grid(make_grid(4, 2));
    ASSERT_EQ(voxels.count(), 8U);
    EXPECT_EQ(voxels.position(0), (Vec3{-0.5, -0.5, 0}));
    EXPECT_EQ(voxels.position(3), (Vec3{0.25, -0.5, 0}));
    EXPECT_EQ(voxels.position(4), (Vec3{-0.5, 0, 0})) << "x is the fastest dimension";
    EXPECT_EQ(voxels.in_voxels(7), (Vec3{1, 0, 0}));
    EXPECT_EQ(voxels.extent_in_voxels(), 2);
}

TEST(Voxels, OddGridHasItsCentreAtHalfRoundedDown) {
    const Voxels voxels = Voxels::of_grid(make_grid(5, 3, 1));
    ASSERT_EQ(voxels.count(), 15U);
    EXPECT_EQ(voxels.in_voxels(0), (Vec3{-2, -1, 0}));
    EXPECT_EQ(voxels.position(7), (Vec3{0, 0, 0}));
    EXPECT_EQ(voxels.position(14), (Vec3{0.4, 1.0 / 3, 0}));
    EXPECT_EQ(voxels.extent_in_voxels(), 2);
}

TEST(Voxels, OneVoxelLiesAtTheCentre) {
    const Voxels voxels = Voxels::of_grid(make_grid(1, 1));
    ASSERT_EQ(voxels.count(), 1U);
    EXPECT_EQ(voxels.position(0), (Vec3{0, 0, 0}));
}

TEST(Voxels, ThirdDimensionIsTheSlowest) {
    const Voxels voxels = Voxels::of_grid(make_grid(2, 3, 4));
    EXPECT_EQ(voxels.in_voxels(6), (Vec3{-1, -1, -1}));
    EXPECT_EQ(voxels.per_fov(), (Vec3{2, 3, 4}));
}

TEST(Voxels, HalfOfTheDifferencesOfTwoDimensions) {
    const Voxels half = Voxels::half_differences(make_grid(2, 3));
    ASSERT_EQ(half.count(), 9U); // x: -1, 0, 1; y: 0, 1, 2
    EXPECT_EQ(half.in_voxels(0), (Vec3{-1, 0, 0}));
    EXPECT_EQ(half.in_voxels(8), (Vec3{1, 2, 0}));
    EXPECT_EQ(half.position(8), (Vec3{0.5, 2.0 / 3, 0}));
    EXPECT_EQ(half.extent_in_voxels(), 2);
}

TEST(Voxels, HalfOfTheDifferencesOfThreeDimensions) {
    const Voxels half = Voxels::half_differences(make_grid(1, 2, 2));
    ASSERT_EQ(half.count(), 6U); // x: 0; y: -1, 0, 1; z: 0, 1
    EXPECT_EQ(half.in_voxels(0), (Vec3{0, -1, 0}));
    EXPECT_EQ(half.in_voxels(5), (Vec3{0, 1, 1}));
}

TEST(Voxels, AListKeepsItsPositions) {
    const Voxels voxels = Voxels::at(make_grid(4, 8), {{0.25, -3, 0}, {0.125, 0.5, 0}});
    EXPECT_FALSE(voxels.on_lattice());
    EXPECT_EQ(voxels.position(0), (Vec3{0.25, -3, 0}));
    EXPECT_EQ(voxels.in_voxels(1), (Vec3{0.5, 4, 0}));
    EXPECT_EQ(voxels.extent_in_voxels(), 24);
}

TEST(Voxels, ASubsetIsAListOfTheSamePositions) {
    const Voxels voxels = Voxels::of_grid(make_grid(4, 2));
    const Voxels some = voxels.subset({7, 0});
    ASSERT_EQ(some.count(), 2U);
    EXPECT_FALSE(some.on_lattice());
    EXPECT_EQ(some.position(0), voxels.position(7));
    EXPECT_EQ(some.in_voxels(1), voxels.in_voxels(0));
}

TEST(Voxels, AnEmptyListHasNoExtent) {
    const Voxels none = Voxels::at(make_grid(4, 4), {});
    EXPECT_EQ(none.count(), 0U);
    EXPECT_EQ(none.extent_in_voxels(), 0);
}

} // namespace
} // namespace lsrecon
