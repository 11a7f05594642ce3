#include "simulate/trajectories.hpp"
#include "support/case.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "base/error.hpp"
#include "base/types.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

TrajectoryOptions options_of(const Grid& grid) {
    TrajectoryOptions options;
    options.grid = grid;
    return options;
}

double distance_of(const Vec3& a, const Vec3& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

const std::vector<Grid>& awkward_grids() {
    static const std::vector<Grid> grids{
        make_grid(16, 16),  make_grid(17, 12),   make_grid(1, 1),      make_grid(5, 32),
        make_grid(8, 8, 8), make_grid(9, 12, 5), make_grid(12, 12, 1), make_grid(1, 2, 3)};
    return grids;
}

bool samples_grid(const TrajectoryDesign& design, const Grid& grid) {
    return std::count(design.dimensions.begin(), design.dimensions.end(), grid.dimensions) > 0;
}

TEST(Trajectories, TableHasEveryName) {
    std::set<std::string> names;
    for (const TrajectoryDesign& design : trajectory_designs()) {
        names.insert(design.name);
    }
    EXPECT_EQ(names, (std::set<std::string>{"radial", "golden-angle", "spiral", "stack-of-spirals",
                                            "radial-3d", "cones", "cartesian", "random"}));
}

TEST(Trajectories, StayWithinTheMatrix) {
    for (const TrajectoryDesign& design : trajectory_designs()) {
        for (const Grid& grid : awkward_grids()) {
            if (!samples_grid(design, grid)) {
                EXPECT_THROW(make_trajectory(design.name, options_of(grid)), UsageError);
                continue;
            }
            const std::vector<Vec3> k = make_trajectory(design.name, options_of(grid));
            ASSERT_FALSE(k.empty()) << design.name;
            for (const Vec3& position : k) {
                for (int d = 0; d < 3; ++d) {
                    const double edge = d < grid.dimensions ? grid.size[d] / 2.0 : 0.0;
                    ASSERT_LE(std::abs(position[d]), edge) << design.name << " dimension " << d;
                }
            }
        }
    }
}

TEST(Trajectories, FillTheMatrix) {
    for (const TrajectoryDesign& design : trajectory_designs()) {
        for (const Grid& grid : {make_grid(32, 20), make_grid(16, 20, 12)}) {
            if (!samples_grid(design, grid)) {
                continue;
            }
            const std::vector<Vec3> k = make_trajectory(design.name, options_of(grid));
            for (int d = 0; d < grid.dimensions; ++d) {
                double reach = 0;
                for (const Vec3& position : k) {
                    reach = std::max(reach, std::abs(position[d]) * 2 / grid.size[d]);
                }
                EXPECT_GT(reach, 0.95) << design.name << " dimension " << d;
            }
        }
    }
}

/// Every point of the ellipsoid within N/2 has a sample within one cycle per field of view.
TEST(Trajectories, LeaveNoGapByDefault) {
    for (const TrajectoryDesign& design : trajectory_designs()) {
        if (design.name == "random") {
            continue;
        }
        const Grid grid =
            design.dimensions.front() == 2 ? make_grid(32, 32) : make_grid(12, 12, 12);
        const std::vector<Vec3> k = make_trajectory(design.name, options_of(grid));
        std::mt19937_64 generator(5);
        for (int trial = 0; trial < 2000; ++trial) {
            Vec3 point{0, 0, 0};
            for (int d = 0; d < grid.dimensions; ++d) {
                point[d] = (uniform_number(generator) - 0.5) * (grid.size[d] - 1.0);
            }
            if (distance_of(point, {0, 0, 0}) > grid.size[0] / 2.0 - 0.5) {
                continue;
            }
            double nearest = 1e9;
            for (const Vec3& position : k) {
                nearest = std::min(nearest, distance_of(position, point));
            }
            ASSERT_LE(nearest, 1.0)
                << design.name << " at " << point[0] << ", " << point[1] << ", " << point[2];
        }
    }
}

TEST(Trajectories, DependOnTheSeedAlone) {
    for (const TrajectoryDesign& design : trajectory_designs()) {
        const Grid grid = design.dimensions.front() == 2 ? make_grid(16, 16) : make_grid(8, 8, 8);
        TrajectoryOptions options = options_of(grid);
        const std::vector<Vec3> first = make_trajectory(design.name, options);
        EXPECT_EQ(first, make_trajectory(design.name, options)) << design.name;
        options.seed = 2;
        EXPECT_EQ(first == make_trajectory(design.name, options), design.name != "random");
    }
}

TEST(Trajectories, UniformNumbersAreTheSameEverywhere) {
    // The 10000th number of std::mt19937_64 with its default seed is 9981545732273789042
    // (C++17, 29.6.5); divided by 2^64 it is 0.541101...
    std::mt19937_64 generator;
    generator.discard(9999);
    EXPECT_NEAR(uniform_number(generator), 9981545732273789042.0 / 18446744073709551616.0, 1e-15);
}

TEST(Trajectories, ReadoutsAndSamplesAreAsAsked) {
    for (const TrajectoryDesign& design : trajectory_designs()) {
        const bool flat = design.dimensions.front() == 2;
        TrajectoryOptions options = options_of(flat ? make_grid(16, 16) : make_grid(8, 8, 8));
        options.readouts = 3;
        options.samples_per_readout = 7;
        const std::size_t samples = make_trajectory(design.name, options).size();
        // Eight planes of three interleaves; 13 cones, of which the narrow ones have fewer than 3.
        if (design.name == "cones") {
            EXPECT_EQ(samples % 7, 0u);
            EXPECT_LE(samples, 13u * 3 * 7);
        } else {
            EXPECT_EQ(samples, design.name == "stack-of-spirals" ? 168u : 21u) << design.name;
        }
    }
}

TEST(Trajectories, UndersamplingMakesFewerSamples) {
    for (const TrajectoryDesign& design : trajectory_designs()) {
        const bool flat = design.dimensions.front() == 2;
        TrajectoryOptions options = options_of(flat ? make_grid(64, 64) : make_grid(16, 16, 16));
        const double full = static_cast<double>(make_trajectory(design.name, options).size());
        options.undersampling = 2;
        const double half = static_cast<double>(make_trajectory(design.name, options).size());
        // Spirals of small matrices are nearly straight, and those cannot be halved.
        EXPECT_NEAR(full / half, 2, flat || design.name == "radial-3d" ? 0.1 : 0.6) << design.name;
    }
}

TEST(Trajectories, SpiralStepsAndTurnsAreNarrow) {
    const std::vector<Vec3> k = make_trajectory("spiral", options_of(make_grid(128, 128)));
    ASSERT_EQ(k.size() % 16, 0u);
    const std::size_t samples = k.size() / 16;
    for (std::size_t i = 1; i < samples; ++i) {
        ASSERT_LE(distance_of(k[i], k[i - 1]), 0.7 + 1e-9) << "sample " << i;
    }
    EXPECT_NEAR(distance_of(k[samples - 1], {0, 0, 0}), 64, 1e-9);
    // Four turns an arm; the last one is 16 cycles per field of view wide, with 16 arms in it.
    EXPECT_NEAR(k[samples - 1][0], 64, 1e-9);
}

TEST(Trajectories, RadialSpokesAreOneCycleApart) {
    const std::vector<Vec3> k = make_trajectory("radial", options_of(make_grid(128, 128)));
    ASSERT_EQ(k.size(), 202u * 128); // 202 = ceil(64 pi)
    EXPECT_EQ(k[0], (Vec3{-64, 0, 0}));
    EXPECT_EQ(k[64], (Vec3{0, 0, 0}));
    EXPECT_NEAR(distance_of(k[0], k[128]), 0.995, 1e-3);
    const std::vector<Vec3> golden =
        make_trajectory("golden-angle", options_of(make_grid(128, 128)));
    const double cosine = (golden[0][0] * golden[128][0] + golden[0][1] * golden[128][1]) / 4096;
    EXPECT_NEAR(std::acos(cosine) * 180 / 3.14159265358979, 111.2461, 1e-4);
}

TEST(Trajectories, CartesianIsTheGrid) {
    const std::vector<Vec3> k = make_trajectory("cartesian", options_of(make_grid(3, 2, 2)));
    ASSERT_EQ(k.size(), 12u);
    EXPECT_EQ(k.front(), (Vec3{-1, -1, -1}));
    EXPECT_EQ(k[1], (Vec3{0, -1, -1}));
    EXPECT_EQ(k[3], (Vec3{-1, 0, -1}));
    EXPECT_EQ(k.back(), (Vec3{1, 0, 0}));
    TrajectoryOptions options = options_of(make_grid(4, 9));
    options.undersampling = 3;
    std::set<double> lines;
    for (const Vec3& position : make_trajectory("cartesian", options)) {
        lines.insert(position[1]);
    }
    EXPECT_EQ(lines, (std::set<double>{-3, 0, 3}));
}

TEST(Trajectories, RefuseWhatContradicts) {
    TrajectoryOptions options = options_of(make_grid(16, 16));
    EXPECT_THROW(make_trajectory("zigzag", options), UsageError);
    options.undersampling = 1e-12;
    EXPECT_THROW(make_trajectory("spiral", options), UsageError);
    EXPECT_THROW(make_trajectory("radial", options), UsageError);
    options.undersampling = 2;
    options.readouts = 4;
    EXPECT_THROW(make_trajectory("radial", options), UsageError);
    options.undersampling = 1;
    options.readouts = 17;
    EXPECT_THROW(make_trajectory("cartesian", options), UsageError);
    options.readouts = 1000000000;
    EXPECT_THROW(make_trajectory("radial", options), UsageError);
}

} // namespace
} // namespace lsrecon
