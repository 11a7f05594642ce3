#include "scan/trajectories.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace lsrecon {
namespace {

constexpr std::size_t of_spoke = 128;

/// Spokes at the golden angle, half a cycle/FOV between samples.
Trajectory spokes(std::size_t count) {
    Trajectory trajectory;
    for (std::size_t s = 0; s < count; ++s) {
        const double angle = static_cast<double>(s) * pi * (std::sqrt(5.0) - 1) / 2;
        for (std::size_t i = 0; i < of_spoke; ++i) {
            const double k = (static_cast<double>(i) - of_spoke / 2) / 2;
            trajectory.positions.push_back({k * std::cos(angle), k * std::sin(angle), 0});
        }
    }
    return trajectory;
}

TEST(HeldOut, IsAboutAnEighthInPiecesOfAReadout) {
    const Trajectory trajectory = spokes(50);
    const HeldOut parts = hold_out(trajectory);
    EXPECT_EQ(parts.kept.size() + parts.held.size(), trajectory.samples());
    const double share =
        static_cast<double>(parts.held.size()) / static_cast<double>(trajectory.samples());
    EXPECT_NEAR(share, 1.0 / 8, 0.03); // an eighth of the pieces touch the centre
    // A piece is 16 steps of half a cycle.
    std::set<std::size_t> held(parts.held.begin(), parts.held.end());
    std::size_t beginnings = 0;
    for (const std::size_t m : parts.held) {
        beginnings += held.count(m - 1) == 0 || m % of_spoke == 0 ? 1 : 0;
    }
    EXPECT_GE(static_cast<double>(parts.held.size()) / static_cast<double>(beginnings), 14);
    EXPECT_EQ(hold_out(trajectory).held, parts.held);
}

TEST(HeldOut, WhatWasSampledTwiceIsHeldOutTogetherInEitherDirection) {
    Trajectory trajectory = spokes(20);
    const std::size_t once = trajectory.samples();
    std::vector<Vec3> again(trajectory.positions);
    trajectory.positions.insert(trajectory.positions.end(), again.begin(), again.end());
    const HeldOut parts = hold_out(trajectory);
    const std::set<std::size_t> held(parts.held.begin(), parts.held.end());
    ASSERT_FALSE(held.empty());
    for (std::size_t m = 0; m < once; ++m) {
        EXPECT_EQ(held.count(m), held.count(m + once)) << m;
    }
}

TEST(HeldOut, SamplesOfWeightZeroAreNotHeldOut) {
    Trajectory trajectory = spokes(50);
    trajectory.weights = RealVector::Ones(static_cast<Eigen::Index>(trajectory.samples()));
    const std::vector<std::size_t> before = hold_out(trajectory).held;
    trajectory.weights(static_cast<Eigen::Index>(before.front())) = 0;
    const HeldOut parts = hold_out(trajectory);
    EXPECT_EQ(parts.held.size(), before.size() - 1);
    EXPECT_EQ(parts.kept.size() + parts.held.size(), trajectory.samples());
}

TEST(HeldOut, EveryShellIsPredictedAndTheCentreIsKept) {
    const Trajectory trajectory = spokes(50);
    std::array<std::size_t, 4> shells{};
    std::size_t near = 0;
    for (const std::size_t m : hold_out(trajectory).held) {
        const Vec3& k = trajectory.positions[m];
        const double radius = std::hypot(k[0], k[1]);
        near += radius < 1 ? 1 : 0;
        ++shells[std::min<std::size_t>(3, static_cast<std::size_t>(radius / 8))];
    }
    EXPECT_EQ(near, 0U);
    for (const std::size_t shell : {1U, 2U, 3U}) { // of 1600 samples each
        EXPECT_NEAR(static_cast<double>(shells[shell]), 200, 60) << shell;
    }
}

TEST(HeldOut, OfFewPiecesSomeAreHeldOut) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Trajectory spiral; // one of about 27 pieces of 8 cycles
        for (std::size_t m = 0; m < 900; ++m) {
            const double t = static_cast<double>(m) / 900;
            const double angle = 40 * t + static_cast<double>(seed) / 7;
            spiral.positions.push_back({10 * t * std::cos(angle), 10 * t * std::sin(angle), 0});
        }
        const double share = static_cast<double>(hold_out(spiral).held.size()) / 900;
        EXPECT_NEAR(share, 1.0 / 8, 0.05) << seed;
    }
}

TEST(HeldOut, ShortReadoutsFromTheCentreAreHeldOutBeyondIt) {
    Trajectory trajectory; // 30 spokes of 6 cycles
    for (std::size_t s = 0; s < 30; ++s) {
        const double angle = static_cast<double>(s) * 2.4;
        for (std::size_t i = 0; i < 12; ++i) {
            const double k = static_cast<double>(i) / 2;
            trajectory.positions.push_back({k * std::cos(angle), k * std::sin(angle), 0});
        }
    }
    const std::vector<std::size_t> held = hold_out(trajectory).held;
    EXPECT_NEAR(static_cast<double>(held.size()), 300 / 8.0, 12);
    for (const std::size_t m : held) {
        EXPECT_GE(m % 12, 2U);
    }
}

TEST(HeldOut, NothingOfASingleSample) {
    Trajectory trajectory;
    trajectory.positions = {{0, 0, 0}};
    EXPECT_TRUE(hold_out(trajectory).held.empty());
}

} // namespace
} // namespace lsrecon
