#include "scan/findings.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "scan/check.hpp"
#include "scan/wrapped_field.hpp"
#include "support/case.hpp"
#include "support/findings.hpp"

// What scans have that was probably not intended: one fault each, and the same scan without it.

namespace lsrecon {
namespace {

using test::find;
using test::has;

constexpr long size = 32;

Scan scan_of(std::vector<Vec3> positions) {
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->positions = std::move(positions);
    Scan scan;
    scan.file = "scan.h5";
    scan.format = "lsrecon-scan";
    scan.grid = test::make_grid(size, size);
    const auto samples = static_cast<Eigen::Index>(trajectory->samples());
    scan.frames = {{trajectory, CoilMatrix::Ones(2, samples), "", {}}};
    return scan;
}

/// Lines from `first` up to `end` along ky, all of kx.
Scan lines(long first, long end) {
    std::vector<Vec3> positions;
    for (long y = first; y < end; ++y) {
        for (long x = -size / 2; x < size / 2; ++x) {
            positions.push_back({static_cast<double>(x), static_cast<double>(y), 0});
        }
    }
    return scan_of(positions);
}

/// Spokes with a sample every `step` cycles, and weights |k| + `floor`.
Scan ramp(double step, double floor) {
    std::vector<Vec3> positions;
    std::vector<double> weights;
    for (int spoke = 0; spoke < 50; ++spoke) {
        for (double k = -size / 2; k <= size / 2; k += step) {
            const double angle = pi * spoke / 50;
            positions.push_back({k * std::cos(angle), k * std::sin(angle), 0});
            weights.push_back(std::abs(k) + floor);
        }
    }
    Scan scan = scan_of(positions);
    auto trajectory = std::make_shared<Trajectory>(*scan.frames[0].trajectory);
    trajectory->weights =
        Eigen::Map<const RealVector>(weights.data(), static_cast<Eigen::Index>(weights.size()));
    scan.frames[0].trajectory = trajectory;
    return scan;
}

TEST(DoubtfulScans, WeightsOfARampLeaveTheCentreOut) {
    const Finding found = find(findings_on(ramp(1, 0)), Found::centre_unweighted);
    EXPECT_EQ(found.number("samples"), 50);
    EXPECT_EQ(found.number("share"), 0);
    EXPECT_TRUE(has(findings_on(ramp(1, 0.002)), Found::centre_unweighted));
    // A quarter is the area of the central cell of spokes; denser samples leave less of it out.
    EXPECT_TRUE(findings_on(ramp(1, 0.25)).empty());
    EXPECT_FALSE(has(findings_on(ramp(0.5, 0)), Found::centre_unweighted));
}

TEST(DoubtfulScans, LinesWithoutTheGapsOfAnAcceleration) {
    for (const long end : {8, 4}) {
        const Finding found = find(findings_on_reach(lines(-end, end)), Found::reach_uneven);
        EXPECT_EQ(found.word("axis"), "ky");
        EXPECT_EQ(found.number("short"), static_cast<double>(end) / (size / 2));
        EXPECT_EQ(found.number("full"), 1);
        EXPECT_EQ(found.word("numbers"), "/trajectory");
    }
    EXPECT_TRUE(findings_on_reach(lines(-size / 2, size / 2)).empty());
    EXPECT_TRUE(findings_on_reach(lines(-4, size / 2)).empty()); // partial Fourier
    EXPECT_TRUE(findings_on_reach(lines(-12, 12)).empty()); // three quarters of the resolution
    Scan listed = lines(-8, 8);
    listed.voxels.emplace(1, Vec3{0, 0, 0});
    EXPECT_TRUE(findings_on_reach(listed).empty());
    Scan raw = lines(-8, 8);
    raw.format = "ismrmrd";
    EXPECT_EQ(find(findings_on_reach(raw), Found::reach_uneven).word("numbers"),
              "kspace_encode_step_1");
}

/// An object in the middle, with or without noise, whose largest parts are cut to a share.
Findings found_in(double share, double noise) {
    Scan scan = lines(-size / 2, size / 2);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const std::vector<Vec3>& k = scan.frames[0].trajectory->positions;
    CoilMatrix samples(2, static_cast<Eigen::Index>(k.size()));
    for (Eigen::Index m = 0; m < samples.cols(); ++m) {
        const Vec3& at = k[static_cast<std::size_t>(m)];
        const double envelope = std::exp(-(at[0] * at[0] + at[1] * at[1]) / 20);
        for (Eigen::Index c = 0; c < 2; ++c) {
            const double phase = 0.4 * at[0] + static_cast<double>(c);
            samples(c, m) =
                envelope * std::polar(1.0, phase) + noise * Complex(normal(random), normal(random));
        }
    }
    const double most = share * samples.cwiseAbs().maxCoeff();
    const auto cut = [&](double part) { return std::clamp(part, -most, most); };
    samples = samples.unaryExpr(
        [&](const Complex& value) { return Complex(cut(value.real()), cut(value.imag())); });
    SampleCheck check(scan);
    check.add(samples);
    return check.end();
}

TEST(DoubtfulScans, SamplesThatAReceiverClipped) {
    for (const double noise : {0.0, 0.001, 0.05}) {
        EXPECT_TRUE(found_in(2, noise).empty()) << noise;
        const Finding found = find(found_in(0.3, noise), Found::samples_clipped);
        EXPECT_GE(found.number("count"), 20) << noise;
        EXPECT_EQ(found.number("coils"), 2) << noise;
    }
}

TEST(DoubtfulScans, PointsAndTheCentreOfSpokesAreNotClipped) {
    Scan point = lines(-size / 2, size / 2);
    SampleCheck of_point(point); // the same everywhere
    of_point.add(point.frames[0].samples);
    EXPECT_TRUE(of_point.end().empty());
    SampleCheck of_silence(point);
    CoilMatrix silent = point.frames[0].samples.to_doubles();
    silent.row(0).setZero();
    of_silence.add(silent);
    EXPECT_FALSE(has(of_silence.end(), Found::samples_clipped));
    const Scan spokes = ramp(1, 1);
    const std::vector<Vec3>& k = spokes.frames[0].trajectory->positions;
    CoilMatrix samples(1, static_cast<Eigen::Index>(k.size()));
    for (Eigen::Index m = 0; m < samples.cols(); ++m) {
        const Vec3& at = k[static_cast<std::size_t>(m)];
        samples(0, m) = std::exp(-(at[0] * at[0] + at[1] * at[1]) / 20);
    }
    SampleCheck of_spokes(spokes);
    of_spokes.add(samples);
    EXPECT_TRUE(of_spokes.end().empty());
}

/// A field in Hz by the position of a voxel in fields of view.
template <typename Field> RealVector map_of(const Grid& grid, const Field& field) {
    RealVector map(static_cast<Eigen::Index>(grid.voxels()));
    for (std::size_t n = 0; n < grid.voxels(); ++n) {
        const auto x = static_cast<double>(n % grid.size[0]) / static_cast<double>(grid.size[0]);
        const auto y = static_cast<double>(n / grid.size[0] % grid.size[1]) /
                       static_cast<double>(grid.size[1]);
        map(static_cast<Eigen::Index>(n)) = field(x - 0.5, y - 0.5);
    }
    return map;
}

double hill(double x, double y) {
    return 60 * std::exp(-(x * x + y * y) / 0.06) - 20 + 40 * x;
}

double wrapped(double hz, double range) {
    return hz - range * std::round(hz / range);
}

TEST(WrappedField, JumpsOfOneSizeAreThoseOfAPhase) {
    Grid volume = test::make_grid(24, 24);
    volume.dimensions = 3;
    volume.size[2] = 6;
    std::mt19937 random(1);
    std::normal_distribution<double> noise;
    for (const Grid& grid : {test::make_grid(48, 40), volume}) {
        for (const double sd : {0.0, 1.0}) {
            const auto field = [&](double x, double y) { return hill(x, y) + sd * noise(random); };
            EXPECT_FALSE(wrapped_field(map_of(grid, field), grid));
            const auto found = wrapped_field(
                map_of(grid, [&](double x, double y) { return wrapped(field(x, y), 50); }), grid);
            ASSERT_TRUE(found);
            EXPECT_NEAR(found->number("step"), 50, 6);
            EXPECT_GE(found->number("count"), 8);
            const auto in_mask = wrapped_field(map_of(grid,
                                                      [&](double x, double y) {
                                                          return std::hypot(x, y) < 0.4
                                                                     ? wrapped(field(x, y), 50)
                                                                     : 0;
                                                      }),
                                               grid);
            EXPECT_TRUE(in_mask);
        }
    }
}

TEST(WrappedField, EdgesAndNoiseAreNoWraps) {
    const Grid grid = test::make_grid(64, 64);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> any(-50, 50);
    const auto is_whole = [&](const auto& field) {
        return !wrapped_field(map_of(grid, field), grid);
    };
    EXPECT_TRUE(is_whole([](double, double) { return 0; }));
    EXPECT_TRUE(is_whole([&](double, double) { return any(random); }));
    EXPECT_TRUE(is_whole([](double x, double y) {
        return std::hypot(x, y) < 0.4 ? hill(x, y) : 0;
    })) << "a mask";
    EXPECT_TRUE(is_whole([&](double x, double y) {
        return std::hypot(x, y) < 0.4 ? hill(x, y) : any(random);
    })) << "noise around the object";
    EXPECT_TRUE(is_whole([](double x, double y) {
        return hill(x, y) - (std::hypot(x, y) < 0.3 ? 0 : 440);
    })) << "fat around water";
}

} // namespace
} // namespace lsrecon
