// The frequencies that a scan did not sample, and an image's part there, on every device.

#include "operators/unsampled.hpp"

#include <gtest/gtest.h>

#include "simulate/trajectories.hpp"
#include "support/arrays_fixture.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

double share_of(const std::string& design, const Grid& grid, double undersampling = 1) {
    TrajectoryOptions options;
    options.grid = grid;
    options.undersampling = undersampling;
    return unsampled_frequencies(make_trajectory(design, options), grid).mean();
}

TEST(UnsampledFrequencies, AreNoneOfCartesianScans) {
    for (const double undersampling : {1.0, 2.0, 3.0, 4.0}) {
        EXPECT_EQ(share_of("cartesian", make_grid(32, 48), undersampling), 0) << undersampling;
        EXPECT_EQ(share_of("cartesian", make_grid(33, 21), undersampling), 0) << undersampling;
    }
    EXPECT_EQ(share_of("cartesian", make_grid(12, 10, 14)), 0);
}

// Circles and balls leave the corners of squares and cubes, less the frequencies next to them.
TEST(UnsampledFrequencies, AreTheCornersOfOthers) {
    for (const char* design : {"spiral", "radial", "golden-angle"}) {
        const double share = share_of(design, make_grid(96, 96));
        EXPECT_LT(share, 1 - pi / 4) << design;
        EXPECT_GT(share, 1 - pi / 4 * 1.08) << design;
    }
    const double cylinder = share_of("stack-of-spirals", make_grid(64, 64, 12));
    EXPECT_NEAR(cylinder, 1 - pi / 4 * 1.06, 0.04);
    EXPECT_NEAR(share_of("radial-3d", make_grid(32, 32, 32)), 1 - pi / 6 * 1.15, 0.07);
}

TEST(UnsampledFrequencies, AreTheRestOfHalfAnEcho) {
    const Grid grid = make_grid(32, 32);
    std::vector<Vec3> k;
    for (int y = -16; y < 16; ++y) {
        for (int x = -16; x < 4; ++x) {
            k.push_back({static_cast<double>(x), static_cast<double>(y), 0});
        }
    }
    const RealVector outside = unsampled_frequencies(k, grid);
    for (Eigen::Index n = 0; n < outside.size(); ++n) {
        const Eigen::Index x = (n % 32 + 16) % 32 - 16;
        EXPECT_EQ(outside(n), x > 4 ? 1 : 0) << x;
    }
}

using UnsampledPart = test::ArraysFixture;

TEST_P(UnsampledPart, IsThatOfADiscreteFourierTransform) {
    const Grid grid = make_grid(9, 8);
    TrajectoryOptions options;
    options.grid = grid;
    const std::vector<Vec3> design = make_trajectory("radial", options);
    const RealVector outside = unsampled_frequencies(design, grid);
    ASSERT_GT(outside.sum(), 0);
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    Eigen::MatrixXcd f(voxels, voxels);
    for (Eigen::Index k = 0; k < voxels; ++k) {
        for (Eigen::Index n = 0; n < voxels; ++n) {
            const double turns = static_cast<double>(k % 9 * (n % 9) % 9) / 9.0 +
                                 static_cast<double>(k / 9 * (n / 9) % 8) / 8.0;
            f(k, n) = std::polar(1 / std::sqrt(static_cast<double>(voxels)), -2 * pi * turns);
        }
    }
    const ComplexVector in = vector(grid.voxels());
    const ComplexVector expected = f.adjoint() * outside.cast<Complex>().cwiseProduct(f * in);

    Unsampled part(on.device(), grid, on.precision, design);
    const auto applied = [&](const ComplexVector& x) {
        Array out = on.device().zeros(grid.voxels(), {true, on.precision});
        part.apply(of(x), out);
        return on.device().download(out);
    };
    EXPECT_TRUE(test::near(applied(in), expected, bound(64)));
    EXPECT_TRUE(test::near(applied(expected), expected, bound(64)));
    EXPECT_TRUE(test::adjoint_test(applied, applied, grid.voxels(), grid.voxels(), bound(64)));
}

INSTANTIATE_TEST_SUITE_P(Devices, UnsampledPart, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
