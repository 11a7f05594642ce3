#include "scan/held_out.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace lsrecon {
namespace {

constexpr std::size_t of_spoke = 128;

/// Spokes at the golden angle, half a cycle/FOV between samples.
Sampling spokes(std::size_t count) {
    Sampling sampling;
    for (std::size_t s = 0; s < count; ++s) {
        const double angle = static_cast<double>(s) * pi * (std::sqrt(5.0) - 1) / 2;
        for (std::size_t i = 0; i < of_spoke; ++i) {
            const double k = (static_cast<double>(i) - of_spoke / 2) / 2;
            sampling.trajectory.push_back({k * std::cos(angle), k * std::sin(angle), 0});
        }
    }
    return sampling;
}

TEST(HeldOut, IsAboutAnEighthInPiecesOfAReadout) {
    const Sampling sampling = spokes(50);
    const HeldOut parts = hold_out(sampling);
    EXPECT_EQ(parts.kept.size() + parts.held.size(), sampling.samples());
    const double share =
        static_cast<double>(parts.held.size()) / static_cast<double>(sampling.samples());
    EXPECT_NEAR(share, 1.0 / 8, 0.04); // 400 pieces: two and a half standard deviations
    // A piece is 16 steps of half a cycle.
    std::set<std::size_t> held(parts.held.begin(), parts.held.end());
    std::size_t beginnings = 0;
    for (const std::size_t m : parts.held) {
        beginnings += held.count(m - 1) == 0 || m % of_spoke == 0 ? 1 : 0;
    }
    EXPECT_GE(static_cast<double>(parts.held.size()) / static_cast<double>(beginnings), 14);
    EXPECT_EQ(hold_out(sampling).held, parts.held);
}

TEST(HeldOut, WhatWasSampledTwiceIsHeldOutTogetherInEitherDirection) {
    Sampling sampling = spokes(20);
    const std::size_t once = sampling.samples();
    std::vector<Vec3> again(sampling.trajectory);
    sampling.trajectory.insert(sampling.trajectory.end(), again.begin(), again.end());
    const HeldOut parts = hold_out(sampling);
    const std::set<std::size_t> held(parts.held.begin(), parts.held.end());
    ASSERT_FALSE(held.empty());
    for (std::size_t m = 0; m < once; ++m) {
        EXPECT_EQ(held.count(m), held.count(m + once)) << m;
    }
}

TEST(HeldOut, SamplesOfWeightZeroAreNotHeldOut) {
    Sampling sampling = spokes(50);
    sampling.weights = RealVector::Ones(static_cast<Eigen::Index>(sampling.samples()));
    const std::vector<std::size_t> before = hold_out(sampling).held;
    sampling.weights(static_cast<Eigen::Index>(before.front())) = 0;
    const HeldOut parts = hold_out(sampling);
    EXPECT_EQ(parts.held.size(), before.size() - 1);
    EXPECT_EQ(parts.kept.size() + parts.held.size(), sampling.samples());
}

TEST(HeldOut, NothingOfASingleSample) {
    Sampling sampling;
    sampling.trajectory = {{0, 0, 0}};
    EXPECT_TRUE(hold_out(sampling).held.empty());
}

} // namespace
} // namespace lsrecon
