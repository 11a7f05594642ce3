#include "plan/embedding.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

using Extents = std::array<std::size_t, 3>;

TEST(Embedding, KeepsDifferencesApartInLengthsOfSmallFactors) {
    EXPECT_EQ(embedding_extents(test::make_grid(128, 128, 128)), (Extents{256, 256, 256}));
    // 2 47 - 1 = 93 and 94 have the factors 31 and 47; 15: 29 is prime, 30 = 2 3 5.
    EXPECT_EQ(embedding_extents(test::make_grid(47, 15)), (Extents{96, 30, 1}));
    EXPECT_EQ(embedding_extents(test::make_grid(1, 1)), (Extents{1, 1, 1}));
    EXPECT_EQ(embedding_extents(test::make_grid(5, 4, 1)), (Extents{9, 7, 1}));
}

TEST(Embedding, MemoryOfASystemOfAMillionVoxels) {
    const Grid grid = test::make_grid(128, 128, 128);
    const double padded = 256.0 * 256 * 256;
    const double volume = 128.0 * 128 * 128 * 8;
    // Complex and real values of the periodic grid, and half of Q until the spectrum is made.
    EXPECT_EQ(resident_memory(grid, 0, 4).total, padded * 12 + padded * 4);
    EXPECT_EQ(resident_memory(grid, 0, 4).largest_buffer, padded * 8);
    // With 32 maps these and four vectors are more than half of Q.
    EXPECT_EQ(resident_memory(grid, 32, 4).total, padded * 12 + 36 * volume);
    EXPECT_EQ(resident_memory(grid, 32, 4).largest_buffer, 32 * volume);
}

} // namespace
} // namespace lsrecon
