#include "plan/embedding.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

using Extents = std::array<std::size_t, 3>;

TEST(Embedding, KeepsDifferencesApartInLengthsOfSmallFactors) {
    const auto extents = [](const Grid& grid) { return Embedding(grid).extents; };
    EXPECT_EQ(extents(test::make_grid(128, 128, 128)), (Extents{128, 128, 128}));
    EXPECT_EQ(extents(test::make_grid(47, 15)), (Extents{48, 15, 1}));
    EXPECT_EQ(extents(test::make_grid(1, 1)), (Extents{1, 1, 1}));
    EXPECT_EQ(extents(test::make_grid(5, 11, 13)), (Extents{5, 12, 14}));
}

TEST(Embedding, HasTwoParitiesADimension) {
    const auto parities = [](const Grid& grid) { return Embedding(grid).parities; };
    using Parities = std::vector<std::array<int, 3>>;
    EXPECT_EQ(parities(test::make_grid(1, 1)), (Parities{{0, 0, 0}}));
    EXPECT_EQ(parities(test::make_grid(1, 9, 2)),
              (Parities{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}}));
    EXPECT_EQ(parities(test::make_grid(4, 4, 4)).size(), 8U);
}

TEST(Embedding, MemoryOfASystemOfAMillionVoxels) {
    const Grid grid = test::make_grid(128, 128, 128);
    const double volume = 128.0 * 128 * 128 * 8;
    // One volume to transform, eight real spectra, and half of Q until these are made.
    EXPECT_EQ(resident_memory(grid, 0, 4).total, (1 + 4 + 4) * volume);
    EXPECT_EQ(resident_memory(grid, 0, 4).largest_buffer, 4 * volume);
    EXPECT_EQ(resident_memory(grid, 0, 8).total, 2 * (1 + 4 + 4) * volume);
    // With 32 maps these and four vectors are more than half of Q.
    EXPECT_EQ(resident_memory(grid, 32, 4).total, (1 + 4 + 36) * volume);
    EXPECT_EQ(resident_memory(grid, 32, 4).largest_buffer, 32 * volume);
}

} // namespace
} // namespace lsrecon
