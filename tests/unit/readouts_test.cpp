// Readouts that do not belong together, on the k-space of blobs that coils see differently.

#include "scan/readouts.hpp"

#include <gtest/gtest.h>
#include <random>

#include "support/findings.hpp"

using namespace lsrecon;

namespace {

constexpr int size = 48;
constexpr int coils = 6;

struct Blob {
    double x, y, strength;
};

/// The samples of a disc of blobs around `middle`: a coil is strong near its own place.
Complex value(int coil, double kx, double ky, double middle = 0) {
    std::mt19937_64 generator(3);
    Complex sum = 0;
    for (int b = 0; b < 40; ++b) {
        const double radius = 0.35 * std::sqrt(uniform_number(generator));
        const double angle = 2 * pi * uniform_number(generator);
        const Blob blob{radius * std::cos(angle), radius * std::sin(angle) + middle,
                        0.3 + uniform_number(generator)};
        const double place = 2 * pi * coil / coils;
        const double squared = std::pow(blob.x - 0.6 * std::cos(place), 2) +
                               std::pow(blob.y - middle - 0.6 * std::sin(place), 2);
        sum += std::polar(blob.strength / (0.1 + squared), place) *
               std::exp(-0.003 * (kx * kx + ky * ky)) *
               std::polar(1.0, -2 * pi * (kx * blob.x + ky * blob.y));
    }
    return sum;
}

struct Made {
    Trajectory trajectory;
    CoilMatrix samples{coils, 0};
    FrameReadouts readouts;

    /// A readout of samples at these positions, which are those of the trajectory but for a delay.
    void add(const std::vector<Vec3>& positions, Complex factor = 1, double delay = 0,
             double middle = 0) {
        const Eigen::Index before = samples.cols();
        samples.conservativeResize(coils, before + static_cast<Eigen::Index>(positions.size()));
        for (std::size_t m = 0; m < positions.size(); ++m) {
            trajectory.positions.push_back(positions[m]);
            for (int c = 0; c < coils; ++c) {
                const Complex noise(uniform_number(generator) - 0.5,
                                    uniform_number(generator) - 0.5);
                samples(c, before + static_cast<Eigen::Index>(m)) =
                    factor * value(c, positions[m][0] + delay, positions[m][1], middle) +
                    0.1 * noise;
            }
        }
        readouts.ends.push_back(trajectory.positions.size());
    }
    Findings findings() const {
        Grid grid;
        grid.size = {size, size, 1};
        grid.fov_mm = {240, 240, 5};
        return findings_on_readouts(grid, trajectory, samples, readouts);
    }
    std::mt19937_64 generator{5};
};

std::vector<Vec3> line(int y, bool backwards = false) {
    std::vector<Vec3> k;
    for (int i = 0; i < size; ++i) {
        k.push_back({static_cast<double>(backwards ? size / 2 - 1 - i : i - size / 2),
                     static_cast<double>(y - size / 2), 0});
    }
    return k;
}

std::vector<Vec3> spoke(int s) {
    std::vector<Vec3> k;
    const double angle = 1.9416 * s;
    for (int i = 0; i < size; ++i) {
        k.push_back({(i - size / 2) * std::cos(angle), (i - size / 2) * std::sin(angle), 0});
    }
    return k;
}

double radians(double angle) {
    return pi / 180 * angle;
}

/// Lines in order, with a factor and a delay of the second, fourth, ...
Made lines_with(Complex of_others, double delay = 0, bool backwards = false, double middle = 0) {
    Made made;
    for (int y = 0; y < size; ++y) {
        const bool other = y % 2 == 1;
        made.add(line(y, other && backwards), other ? of_others : 1, other ? delay : 0, middle);
    }
    return made;
}

Made quadratic(double step, bool spokes) {
    Made made;
    for (int n = 0; n < size; ++n) {
        made.add(spokes ? spoke(n) : line(n), std::polar(1.0, radians(step / 2 * n * (n + 1))));
    }
    return made;
}

/// Reverses the samples of every other line.
Made turned(Made made) {
    for (Eigen::Index y = 1; y < size; y += 2) {
        made.samples.middleCols(y * size, size) =
            made.samples.middleCols(y * size, size).rowwise().reverse().eval();
    }
    return made;
}

} // namespace

TEST(Readouts, that_fit_each_other_are_not_found) {
    EXPECT_TRUE(lines_with(1).findings().empty());
    EXPECT_TRUE(lines_with(1, 0, true).findings().empty());
    EXPECT_TRUE(quadratic(0, true).findings().empty());
}

TEST(Readouts, that_run_backwards_unlike_the_scan_says_are_found) {
    for (const bool flagged : {false, true}) {
        const Findings found = turned(lines_with(1, 0, flagged)).findings();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].code, Found::lines_reversed);
        EXPECT_EQ(found[0].number("flagged"), flagged ? 1 : 0);
    }
}

TEST(Readouts, that_run_backwards_differ_in_phase_and_delay) {
    const Findings found = lines_with(std::polar(1.0, radians(30)), 0.8, true).findings();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].code, Found::directions_differ);
    EXPECT_NEAR(found[0].number("degrees"), 30, 3);
    EXPECT_NEAR(found[0].number("samples"), 0.8, 0.1);
}

TEST(Readouts, of_shots_that_differ_are_found_with_phase_and_gain) {
    const Finding phase =
        test::find(lines_with(std::polar(1.0, radians(63))).findings(), Found::shots_differ);
    EXPECT_NEAR(phase.number("degrees"), 63, 3);
    EXPECT_EQ(phase.number("gain"), 1);
    const Finding gain = test::find(lines_with(0.7).findings(), Found::shots_differ);
    EXPECT_EQ(gain.number("degrees"), 0);
    EXPECT_NEAR(gain.number("gain"), 0.7, 0.03);

    Made segments;
    for (int shot = 0; shot < 2; ++shot) { // one after the other
        for (int y = shot; y < size; y += 2) {
            segments.add(line(y), shot == 1 ? std::polar(1.0, radians(40)) : 1);
            segments.readouts.segments.push_back(static_cast<std::uint16_t>(shot));
        }
    }
    const Finding shots = test::find(segments.findings(), Found::shots_differ);
    EXPECT_EQ(shots.word("which"), "lines of segments 0 and 1");
    EXPECT_NEAR(shots.number("degrees"), 40, 3);
}

TEST(Readouts, whose_phase_grows_quadratically_are_found_with_the_step) {
    for (const bool spokes : {false, true}) {
        for (const double step : {50.0, 117.0, -150.0}) {
            const Finding found =
                test::find(quadratic(step, spokes).findings(), Found::readout_quadratic);
            EXPECT_NEAR(found.number("degrees"), step, 2);
        }
    }
}

TEST(Readouts, that_alternate_in_sign_are_found_by_the_object_or_at_the_centre) {
    const Findings found = lines_with(-1).findings();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].code, Found::object_at_edge);
    EXPECT_EQ(found[0].word("shift"), "0,120");
    EXPECT_TRUE(lines_with(1, 0, false, 0.2).findings().empty());

    Made spokes;
    for (int s = 0; s < size; ++s) {
        spokes.add(spoke(s), s % 2 == 1 ? -1 : 1);
    }
    EXPECT_EQ(std::abs(test::find(spokes.findings(), Found::readout_steps).number("degrees")), 180);
}

TEST(Readouts, of_one_length_end_where_the_course_of_k_breaks) {
    const Made made = lines_with(1);
    EXPECT_EQ(readouts_of(made.trajectory).ends, made.readouts.ends);
    EXPECT_EQ(readouts_of(quadratic(0, true).trajectory).ends, made.readouts.ends);
    EXPECT_EQ(readouts_of(lines_with(1, 0, true).trajectory).ends, made.readouts.ends);
    Trajectory spiral;
    for (int m = 0; m < 500; ++m) {
        spiral.positions.push_back({0.05 * m * std::cos(0.1 * m), 0.05 * m * std::sin(0.1 * m), 0});
    }
    EXPECT_TRUE(readouts_of(spiral).ends.empty());
}
