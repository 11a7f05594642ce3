// Readouts of trajectories, and delays in words and by the energy along spokes.

#include "scan/delays.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include "base/error.hpp"
#include "scan/pose.hpp"
#include "support/simulated.hpp"

namespace lsrecon {
namespace {

SimulationOptions scan_of(const std::string& design, const Grid& grid) {
    SimulationOptions options = options_of(design, grid);
    options.coils = 2;
    return options;
}

Grid grid_of(std::size_t x, std::size_t y, std::size_t z) {
    Grid grid;
    grid.size = {x, y, z};
    grid.dimensions = z > 1 ? 3 : 2;
    return grid;
}

Trajectory trajectory_of(const std::string& design, const Grid& grid) {
    TrajectoryOptions options;
    options.grid = grid;
    Trajectory trajectory;
    trajectory.positions = make_trajectory(design, options);
    return trajectory;
}

TEST(Delays, AreOfReadoutsInSeveralDirections) {
    const Trajectory plane = trajectory_of("golden-angle", grid_of(16, 16, 1));
    const ReadoutCourse spokes(plane);
    EXPECT_TRUE(spokes.is_radial && spokes.shows_delays && spokes.in_plane);
    EXPECT_EQ(parameters_of(spokes, {0, 1}).size(), 5U);
    const Trajectory ball = trajectory_of("radial-3d", grid_of(12, 12, 12));
    const ReadoutCourse volume(ball);
    EXPECT_TRUE(volume.is_radial && !volume.in_plane);
    EXPECT_EQ(parameters_of(volume, {0, 1}).size(), 9U);
    const Trajectory turns = trajectory_of("spiral", grid_of(32, 32, 1));
    const ReadoutCourse spiral(turns);
    EXPECT_TRUE(spiral.shows_delays && !spiral.is_radial);
    for (const char* const design : {"cartesian", "random"}) {
        const Trajectory other = trajectory_of(design, grid_of(16, 16, 1));
        EXPECT_FALSE(ReadoutCourse(other).shows_delays) << design;
    }
}

TEST(Delays, OfAWordAreThatWord) {
    Delays delays;
    for (const char* const word :
         {"1,2", "0.5,-0.25,0.1", "0.5,-0.25:0.1,0.2", "1,2,3,0,0,0.5:0,0,1"}) {
        EXPECT_EQ(delays.take(word), "") << word;
        EXPECT_EQ(delays.word(), word);
    }
    for (const char* const word : {"", "1", "1,2,3,4", "1,x", "1,2:3", "200,0", "1,1:4,0"}) {
        EXPECT_NE(delays.take(word), "") << word;
    }
}

TEST(Delays, OfReadoutsOfAnotherKindAreRefused) {
    EXPECT_EQ(delays_of(values_of({{1, 2}, {}}, true), true).word(), "1,2,0:0,0");
    EXPECT_EQ(delays_of(values_of({{1, 2, 3}, {4, 5, 6}}, false), false).word(),
              "1,2,3,0,0,0:4,5,6");
    EXPECT_THROW(values_of({{1, 2, 3, 0, 0, 0}, {}}, true), UsageError);
    EXPECT_THROW(values_of({{1, 2}, {1, 2, 3}}, true), UsageError);
    EXPECT_THROW(values_of({{1, 2}, {}}, false), UsageError);
}

TEST(Delays, MoveSamplesAsTheirParametersDo) {
    const Trajectory from = trajectory_of("radial-3d", grid_of(12, 12, 12));
    const ReadoutCourse course(from);
    Delays delays;
    delays.take("0.5,-0.3,0.2,0.1,0.05,-0.1:0.1,0.2,-0.3");
    std::vector<std::size_t> all(from.samples());
    std::iota(all.begin(), all.end(), std::size_t(0));
    const auto parameters = parameters_of(course, all);
    const RealVector values = values_of(delays, false);
    const MovedReadouts moved_readouts = moved_by(delays, from);
    EXPECT_LE((moved_readouts.phases - phases_of(parameters, values)).norm(), 1e-12);
    const Trajectory expected = moved(from, parameters, values);
    for (std::size_t m = 0; m < from.samples(); ++m) {
        ASSERT_LE(distance(moved_readouts.trajectory.positions[m], expected.positions[m]), 1e-12);
    }
}

TEST(Delays, AreSeenInTheEnergyAlongSpokesWhateverTheirPhases) {
    for (const char* const word : {"1.2,-0.5,0.1:0.3,-0.2", "0,0"}) {
        SimulationOptions options = scan_of("golden-angle", grid_of(32, 32, 1));
        options.delays.take(word);
        const Frame frame = simulated(options).scan.frames[0];
        const ReadoutCourse course(*frame.trajectory);
        const RealVector found =
            delays_of_crossing_spokes(*frame.trajectory, frame.samples, course);
        const RealVector given = values_of(options.delays, true);
        EXPECT_LE((found - given).head(3).cwiseAbs().maxCoeff(), 0.1) << word;
    }
}

} // namespace
} // namespace lsrecon
