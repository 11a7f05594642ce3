#include "scan/trajectories.hpp"

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

Sampling sampling_of(double k, double weight = 1) {
    Sampling sampling;
    sampling.trajectory = {{k, 0, 0}, {0, k, 0}};
    sampling.weights = RealVector::Constant(2, weight);
    return sampling;
}

TEST(SamplingPool, EqualOnesAreSharedInAnyOrder) {
    SamplingPool pool;
    const auto a = pool.share(sampling_of(1));
    const auto b = pool.share(sampling_of(2));
    EXPECT_NE(a, b);
    EXPECT_EQ(pool.share(sampling_of(1)), a);
    EXPECT_EQ(pool.share(sampling_of(2)), b);
    EXPECT_NE(pool.share(sampling_of(1, 0.5)), a) << "other weights make another Q";
}

TEST(SamplingPool, FramesOfOneSamplingFollowEachOther) {
    SamplingPool pool;
    std::vector<Frame> frames;
    for (const double k : {2., 1., 2., 3., 1.}) {
        frames.push_back({pool.share(sampling_of(k)), {}, "", {}});
    }
    EXPECT_EQ(by_sampling(frames), (std::vector<std::size_t>{0, 2, 1, 4, 3}));
    EXPECT_EQ(by_sampling({}), std::vector<std::size_t>{});
}

} // namespace
} // namespace lsrecon
