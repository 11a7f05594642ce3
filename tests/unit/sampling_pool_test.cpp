#include "scan/trajectories.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

Trajectory trajectory_of(double k, double weight = 1) {
    Trajectory trajectory;
    trajectory.positions = {{k, 0, 0}, {0, k, 0}};
    trajectory.weights = RealVector::Constant(2, weight);
    return trajectory;
}

TEST(TrajectoryPool, EqualOnesAreSharedInAnyOrder) {
    TrajectoryPool pool;
    const auto a = pool.share(trajectory_of(1));
    const auto b = pool.share(trajectory_of(2));
    EXPECT_NE(a, b);
    EXPECT_EQ(pool.share(trajectory_of(1)), a);
    EXPECT_EQ(pool.share(trajectory_of(2)), b);
    EXPECT_NE(pool.share(trajectory_of(1, 0.5)), a) << "other weights make another Q";
}

TEST(TrajectoryPool, FramesOfOneSamplingFollowEachOther) {
    TrajectoryPool pool;
    std::vector<Frame> frames;
    for (const double k : {2., 1., 2., 3., 1.}) {
        frames.push_back({pool.share(trajectory_of(k)), {}, "", {}});
    }
    EXPECT_EQ(by_trajectory(frames), (std::vector<std::size_t>{0, 2, 1, 4, 3}));
    EXPECT_EQ(by_trajectory({}), std::vector<std::size_t>{});
}

} // namespace
} // namespace lsrecon
