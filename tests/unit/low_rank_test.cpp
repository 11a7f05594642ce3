// The proximal map of locally low rank against its definition, by another way to singular values.

#include "operators/over_frames.hpp"

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

using test::make_grid;
using Stack = FrameStack<double>;

/// Sizes that patches of 8 x 8 and 4 x 4 x 4 do and do not divide, odd ones, and edges of a voxel.
std::vector<Grid> grids() {
    return {make_grid(1, 1), make_grid(7, 1), make_grid(8, 8),    make_grid(9, 17),
            make_grid(1, 9), make_grid(5, 6), make_grid(5, 4, 7), make_grid(4, 1, 9)};
}

Stack random_stack(const Grid& grid, Eigen::Index frames, std::uint64_t seed = 1) {
    test::Random random(seed);
    Stack stack(static_cast<Eigen::Index>(grid.voxels()), frames);
    for (Eigen::Index f = 0; f < frames; ++f) {
        stack.col(f) = random.vector(grid.voxels());
    }
    return stack;
}

Stack casorati(const Stack& frames, const std::vector<Eigen::Index>& patch) {
    Stack rows(static_cast<Eigen::Index>(patch.size()), frames.cols());
    for (std::size_t p = 0; p < patch.size(); ++p) {
        rows.row(static_cast<Eigen::Index>(p)) = frames.row(patch[p]);
    }
    return rows;
}

double factor_of(const Stack& casorati) {
    return std::sqrt(static_cast<double>(casorati.rows())) +
           std::sqrt(static_cast<double>(casorati.cols()));
}

/// The definition.
double penalty(const Grid& grid, std::size_t tiling, const Stack& frames) {
    double sum = 0;
    for (const std::vector<Eigen::Index>& patch : patches_of(grid, tiling)) {
        const Stack rows = casorati(frames, patch);
        sum += factor_of(rows) * Eigen::JacobiSVD<Stack>(rows).singularValues().sum();
    }
    return sum;
}

Stack shortened(const Grid& grid, std::size_t tiling, const Stack& frames, double length) {
    Stack result = Stack::Zero(frames.rows(), frames.cols());
    add_shortened(grid, tiling, frames, length, 1, result);
    return result;
}

/// 64 roundings of numbers up to 10, squared in a Gram matrix whose singular values of interest are
/// at least a hundredth of the largest.
constexpr double rounding = 64 * 10 * 100 * 0x1p-53;

TEST(LowRank, EveryTilingHasEveryVoxelOnce) {
    for (const Grid& grid : grids()) {
        const std::array<std::size_t, 3> size = patch_size(grid);
        for (std::size_t tiling = 0; tiling < tilings(grid); ++tiling) {
            std::vector<int> times(grid.voxels(), 0);
            for (const std::vector<Eigen::Index>& patch : patches_of(grid, tiling)) {
                EXPECT_LE(patch.size(), size[0] * size[1] * size[2]);
                EXPECT_FALSE(patch.empty());
                for (const Eigen::Index n : patch) {
                    times.at(static_cast<std::size_t>(n)) += 1;
                }
            }
            EXPECT_EQ(times, std::vector<int>(grid.voxels(), 1));
        }
    }
    EXPECT_EQ(tilings(make_grid(1, 1)), 1U);
    EXPECT_EQ(tilings(make_grid(9, 1)), 2U);
    EXPECT_EQ(tilings(make_grid(5, 4, 7)), 8U);
    // 17 voxels: 8, 8, 1 without a shift, and 4, 8, 5 with one.
    EXPECT_EQ(patches_of(make_grid(17, 1), 0).back().size(), 1U);
    EXPECT_EQ(patches_of(make_grid(17, 1), 1).back().size(), 5U);
}

TEST(LowRank, SingularValuesOfAPatchAreShortened) {
    const Grid grid = make_grid(4, 3); // a single patch of 12 voxels
    for (const Eigen::Index frames : {1, 5, 12, 20}) {
        const Stack before = random_stack(grid, frames);
        const Eigen::JacobiSVD<Stack> svd(before, Eigen::ComputeThinU | Eigen::ComputeThinV);
        const RealVector values = svd.singularValues();
        const double middle = values(values.size() / 2); // some stay, some become 0
        const double length = middle / factor_of(before);
        const RealVector expected = (values.array() - middle).max(0);
        const Stack after = shortened(grid, 0, before, length);
        EXPECT_LT((after - svd.matrixU() * expected.asDiagonal() * svd.matrixV().adjoint()).norm(),
                  rounding * before.norm())
            << frames << " frames";
    }
}

// f(z) = 1/2 |z - v|^2 + length penalty(z) is strongly convex: z is its minimum if and only if
// f(z + d) >= f(z) + 1/2 |d|^2 for every d.
TEST(LowRank, ResultIsTheMinimumOfItsDefinition) {
    constexpr double length = 0.05;
    for (const Grid& grid : grids()) {
        const Stack v = random_stack(grid, 3);
        for (std::size_t tiling = 0; tiling < tilings(grid); ++tiling) {
            const Stack z = shortened(grid, tiling, v, length);
            const auto f = [&](const Stack& at) {
                return (at - v).squaredNorm() / 2 + length * penalty(grid, tiling, at);
            };
            const double least = f(z);
            for (const double size : {1e-3, 0.1, 10.0}) {
                Stack d = random_stack(grid, 3, 5);
                d *= size / d.norm();
                EXPECT_GE(f(z + d), least + (1 - 1e-6) * size * size / 2 - rounding * least);
                EXPECT_GE(f(z - d), least + (1 - 1e-6) * size * size / 2 - rounding * least);
            }
            EXPECT_LT((z - v).norm(), v.norm());
            EXPECT_GT((z - v).norm(), 0);
        }
    }
}

TEST(LowRank, MeanOfAllTilingsInBothPrecisionsAndWithTheSameBits) {
    for (const Grid& grid : grids()) {
        const Stack v = random_stack(grid, 4);
        Stack mean = Stack::Zero(v.rows(), v.cols());
        for (std::size_t tiling = 0; tiling < tilings(grid); ++tiling) {
            mean += shortened(grid, tiling, v, 0.05) / static_cast<double>(tilings(grid));
        }
        const Stack all = low_rank_shortened(grid, v, 0.05);
        EXPECT_LT((all - mean).norm(), rounding * v.norm());
        EXPECT_EQ(all, low_rank_shortened(grid, v, 0.05));
        const FrameStack<float> floats = v.cast<std::complex<float>>();
        // Values go to floats before and after, and as a sum of up to eight.
        EXPECT_LT((low_rank_shortened(grid, floats, 0.05).cast<Complex>() - all).norm(),
                  10 * 0x1p-24 * v.norm());
    }
}

TEST(LowRank, NothingAndEverythingIsShortened) {
    const Grid grid = make_grid(9, 5);
    const Stack v = random_stack(grid, 4);
    EXPECT_LT((low_rank_shortened(grid, v, 0) - v).norm(), rounding * v.norm());
    EXPECT_EQ(low_rank_shortened(grid, v, 1e3), Stack::Zero(45, 4));
    EXPECT_EQ(low_rank_shortened(grid, Stack(Stack::Zero(45, 4)), 0), Stack::Zero(45, 4));
}

} // namespace
} // namespace lsrecon
