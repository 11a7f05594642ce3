#include "scan/sampling_pool.hpp"

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

} // namespace
} // namespace lsrecon
