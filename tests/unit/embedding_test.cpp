#include "operators/embedding.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

using Extents = std::array<std::size_t, 3>;

TEST(Embedding, KeepsDifferencesApartInLengthsOfSmallFactors) {
    const auto extents = [](const Grid& grid) { return Embedding(grid, true).extents; };
    EXPECT_EQ(extents(test::make_grid(128, 128, 128)), (Extents{128, 128, 128}));
    EXPECT_EQ(extents(test::make_grid(47, 15)), (Extents{48, 15, 1}));
    EXPECT_EQ(extents(test::make_grid(1, 1)), (Extents{1, 1, 1}));
    EXPECT_EQ(extents(test::make_grid(5, 11, 13)), (Extents{5, 12, 14}));
}

TEST(Embedding, HasTwoParitiesADimension) {
    const auto parities = [](const Grid& grid) { return Embedding(grid, true).parities; };
    using Parities = std::vector<std::array<int, 3>>;
    EXPECT_EQ(parities(test::make_grid(1, 1)), (Parities{{0, 0, 0}}));
    EXPECT_EQ(parities(test::make_grid(1, 9, 2)),
              (Parities{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}}));
    EXPECT_EQ(parities(test::make_grid(4, 4, 4)).size(), 8U);
}

TEST(Embedding, OnAGpuHasRoomForPassesOfBothParitiesOfXWhereTheyStayInCaches) {
    const auto points = [](const Grid& grid, Precision precision) {
        return Embedding(grid, false).workspace(1, precision);
    };
    EXPECT_EQ(points(test::make_grid(64, 48), Precision::float32), 2U * 64 * 48);
    EXPECT_EQ(points(test::make_grid(64, 64, 64), Precision::float64), 6U * 64 * 64 * 64);
    EXPECT_EQ(points(test::make_grid(128, 128, 128), Precision::float32), 3U * 128 * 128 * 128);
    EXPECT_EQ(Embedding(test::make_grid(128, 128, 128), true).workspace(1, Precision::float32),
              128U * 128 * 128);
}

TEST(Embedding, OnTheHostHasRoomForBothParitiesOfXAndForTheBatchOfTheReference) {
    const Embedding embedding(test::make_grid(8, 8), true);
    EXPECT_EQ(embedding.workspace(1, Precision::float64), 2U * 8 * 8);
    EXPECT_GE(embedding.workspace(40, Precision::float64), 40U * 8 * 8);
}

TEST(Embedding, SmallImagesAreTransformedInBatchesOfEqualSize) {
    EXPECT_EQ(Embedding(test::make_grid(256, 256), true).batch(8, Precision::float64), 8U);
    EXPECT_EQ(Embedding(test::make_grid(1024, 1024), true).batch(5, Precision::float64), 3U);
    EXPECT_EQ(Embedding(test::make_grid(256, 256, 256), true).batch(32, Precision::float32), 1U);
    EXPECT_EQ(Embedding(test::make_grid(8, 8), true).batch(0, Precision::float64), 1U);
}

} // namespace
} // namespace lsrecon
