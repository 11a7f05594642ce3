#include <cmath>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "simulate/phantom.hpp"
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

SimulationOptions moving(const std::string& design, const Grid& grid, std::size_t frames) {
    SimulationOptions options = options_of(design, grid);
    options.frames = frames;
    options.motion_mm = 24; // of 240
    return options;
}

TEST(SimulatedFrames, ShiftIsASineOverAllFrames) {
    const SimulationOptions options = moving("cartesian", make_grid(8, 8), 8);
    const double half = std::sqrt(0.5);
    const double expected[] = {0, half, 1, half, 0, -half, -1, -half};
    for (std::size_t f = 0; f < 8; ++f) {
        EXPECT_NEAR(shift_mm(options, f), 24 * expected[f], 1e-13) << f;
    }
}

TEST(SimulatedFrames, MotionIsAPhaseOfAnalyticSamples) {
    const Simulation simulation = simulated(moving("cartesian", make_grid(16, 12), 4));
    const std::vector<Frame>& frames = simulation.scan.frames;
    ASSERT_EQ(frames.size(), 4u);
    const double shifts[] = {0, 0.1, 0, -0.1}; // fields of view
    for (std::size_t f = 0; f < 4; ++f) {
        EXPECT_EQ(frames[f].trajectory, frames[0].trajectory);
        for (std::size_t m = 0; m < frames[f].trajectory->samples(); ++m) {
            const double turns = frames[f].trajectory->positions[m][0] * shifts[f];
            const Complex expected = frames[0].samples(0, m) * std::polar(1.0, -2 * pi * turns);
            EXPECT_NEAR(std::abs(frames[f].samples(0, m) - expected), 0, 1e-11) << f << ", " << m;
        }
    }
}

TEST(SimulatedFrames, EachHasItsTruth) {
    SimulationOptions options = moving("cartesian", make_grid(20, 16), 3);
    options.model = "voxels";
    const Simulation simulation = simulated(options);
    ASSERT_EQ(simulation.truth.cols(), 3);
    for (std::size_t f = 0; f < 3; ++f) {
        EXPECT_LT(relative_difference(inverse_transform(simulation.scan, f),
                                      simulation.truth.col(static_cast<Eigen::Index>(f))),
                  1e-13);
    }
    // 4 frames swing by 24 of 240 mm: two of 20 voxels, exactly, and to +x first.
    options.frames = 4;
    const Simulation whole_voxels = simulated(options);
    const Eigen::Index voxel = 8 * 20 + 3; // the skull's left edge
    EXPECT_GT(std::abs(whole_voxels.truth(voxel, 0)), 0.1);
    EXPECT_NEAR(std::abs(whole_voxels.truth(voxel + 2, 1) - whole_voxels.truth(voxel, 0)), 0,
                1e-14);
    EXPECT_NEAR(std::abs(whole_voxels.truth(voxel - 2, 3) - whole_voxels.truth(voxel, 0)), 0,
                1e-14);
}

TEST(SimulatedFrames, CoilMapsDoNotMove) {
    SimulationOptions options = moving("cartesian", make_grid(10, 10), 4);
    options.coils = 2;
    const Simulation simulation = simulated(options);
    const Frame& frame = simulation.scan.frames[1];
    Complex at_centre = 0; // sample k = 0: a sum over voxels
    for (Eigen::Index n = 0; n < 100; ++n) {
        at_centre += simulation.scan.coil_maps(1, n) * simulation.truth(n, 1);
    }
    EXPECT_NEAR(std::abs(frame.samples(1, 55) - at_centre), 0, 1e-12);
    EXPECT_GT(std::abs(simulation.scan.frames[0].samples(1, 55) - at_centre), 0.1);
}

TEST(SimulatedFrames, GoldenAnglesGoOnFromFrameToFrame) {
    for (const std::string name : {"golden-angle", "radial-3d"}) {
        SimulationOptions options =
            options_of(name, name == "radial-3d" ? make_grid(8, 8, 8) : make_grid(8, 8));
        options.trajectory.readouts = 15;
        const std::vector<Vec3> all = make_trajectory(name, options.trajectory);
        options.trajectory.readouts = 5;
        options.frames = 3;
        std::vector<Vec3> joined;
        for (const Frame& frame : simulated(options).scan.frames) {
            const std::vector<Vec3>& part = frame.trajectory->positions;
            joined.insert(joined.end(), part.begin(), part.end());
        }
        EXPECT_EQ(joined, all) << name;
    }
}

TEST(SimulatedFrames, OtherTrajectoriesAreTheSame) {
    for (const std::string name : {"radial", "spiral", "random"}) {
        SimulationOptions options = options_of(name, make_grid(8, 8));
        options.frames = 3;
        const std::vector<Frame> frames = simulated(options).scan.frames;
        EXPECT_EQ(frames.at(2).trajectory, frames[0].trajectory) << name;
        EXPECT_EQ(frames[2].samples, frames[0].samples) << name;
    }
}

TEST(SimulatedFrames, RefusesWhatCannotBe) {
    const auto refused = [](const auto& change) {
        SimulationOptions options = moving("radial", make_grid(8, 8), 4);
        change(options);
        EXPECT_THROW(simulated(options), UsageError);
    };
    refused([](SimulationOptions& options) { options.frames = 2; });
    refused([](SimulationOptions& options) { options.frames = 100000000; });
    // The skull is 0.69 of the field of view wide: 0.155 are left on both sides.
    refused([](SimulationOptions& options) { options.motion_mm = 0.156 * 240; });
    SimulationOptions widest = moving("radial", make_grid(8, 8), 4);
    widest.motion_mm = 0.154 * 240;
    EXPECT_NO_THROW(simulated(widest));
}

} // namespace
} // namespace lsrecon
