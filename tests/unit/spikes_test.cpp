#include "scan/check.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lsrecon {
namespace {

constexpr int width = 32;

Trajectory lines() {
    Trajectory trajectory;
    for (int y = -width / 2; y < width / 2; ++y) {
        for (int x = -width / 2; x < width / 2; ++x) {
            trajectory.positions.push_back({double(x), double(y), 0});
        }
    }
    return trajectory;
}

CoilMatrix samples_of(const Trajectory& trajectory) {
    CoilMatrix samples(2, static_cast<Eigen::Index>(trajectory.samples()));
    for (Eigen::Index m = 0; m < samples.cols(); ++m) {
        const Vec3& k = trajectory.positions[static_cast<std::size_t>(m)];
        samples.col(m).setConstant(std::exp(-std::hypot(k[0], k[1]) / 3));
    }
    return samples;
}

TEST(Spikes, AreFarAboveKSpaceThatFarOut) {
    Trajectory trajectory = lines();
    CoilMatrix samples = samples_of(trajectory);
    EXPECT_EQ(spikes_of(CoilRows(samples), trajectory).count, 0);
    const Eigen::Index outer = width + 5;
    for (const double height : {0.3, 3.0}) { // of the centre of k-space
        samples(1, outer) = height;
        samples(0, outer + 600) = height;
        const Spikes found = spikes_of(CoilRows(samples), trajectory);
        EXPECT_EQ(found.count, 2) << height;
        EXPECT_EQ(found.first, outer);
        EXPECT_GT(found.times, 5);
    }
    trajectory.weights.setOnes(samples.cols());
    trajectory.weights(outer) = 0;
    EXPECT_EQ(spikes_of(CoilRows(samples), trajectory).first, outer + 600) << "left out";
}

TEST(Spikes, AreNotFoundAmongSamplesFarFromAllOthers) {
    Trajectory trajectory = lines();
    CoilMatrix samples = samples_of(trajectory);
    samples.col(width + 5).setConstant(3);
    for (Vec3& k : trajectory.positions) {
        k = {2 * k[0], 2 * k[1], 0};
    }
    EXPECT_EQ(spikes_of(CoilRows(samples), trajectory).count, 0);
}

TEST(Spikes, AreNotTheNoiseOfFewSamples) {
    Trajectory trajectory;
    trajectory.positions = {{0, 0, 0}, {5, 0, 0}, {9, 0, 0}};
    EXPECT_EQ(spikes_of(CoilRows(CoilMatrix(CoilMatrix::Ones(1, 3))), trajectory).count, 0);
}

} // namespace
} // namespace lsrecon
