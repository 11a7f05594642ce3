#include "prepare/complete_lines.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "support/case.hpp"
#include "support/lines.hpp"

namespace lsrecon {
namespace {

using test::Lines;
using test::make_grid;
using test::on_lines;
using test::Random;

LinesFound found_along(const Lines& of, bool off_resonance = false) {
    return lines_along(of.dimension, of.sampling, of.grid, off_resonance);
}

/// Each line has one sample at each step, and all of them the same other coordinates.
void expect_complete(const Lines& of, std::size_t count) {
    const LinesFound found = found_along(of);
    ASSERT_EQ(found.missing, "");
    const CompleteLines& lines = found.lines;
    ASSERT_EQ(lines.count(), count);
    ASSERT_EQ(lines.length, of.grid.size[of.dimension]);
    const auto length = static_cast<double>(lines.length);
    std::vector<int> times(of.sampling.samples(), 0);
    for (std::size_t i = 0; i < lines.samples.size(); ++i) {
        ++times[lines.samples[i]];
        const std::size_t step = i % lines.length;
        Vec3 from_first = of.sampling.trajectory[lines.samples[i]];
        for (std::size_t d = 0; d < 3; ++d) {
            from_first[d] -= of.sampling.trajectory[lines.samples[i - step]][d];
        }
        for (std::size_t d = 0; d < 3; ++d) {
            const double expected = d == of.dimension ? static_cast<double>(step) : 0;
            EXPECT_NEAR(std::remainder(from_first[d] - expected, d == of.dimension ? length : 1e9),
                        0, 1e-4);
        }
    }
    EXPECT_EQ(times, std::vector<int>(times.size(), 1));
}

TEST(CompleteLines, AreFoundInAnyOrder) {
    for (const std::size_t d : {0, 1, 2}) {
        for (const auto& grid : {make_grid(5, 4, 3), make_grid(2, 7, 6), make_grid(8, 3, 9)}) {
            expect_complete(on_lines(grid, d, 1), 1);
            expect_complete(on_lines(grid, d, 11), 11);
        }
    }
    expect_complete(on_lines(make_grid(6, 5), 0, 7), 7);
    expect_complete(on_lines(make_grid(6, 5), 1, 7), 7);
}

TEST(CompleteLines, MayBeRepeatedAndBeginAnywhere) {
    Lines of = on_lines(make_grid(6, 5, 4), 0, 5);
    const std::vector<Vec3> once = of.sampling.trajectory;
    of.sampling.trajectory.insert(of.sampling.trajectory.end(), once.begin(), once.end());
    expect_complete(of, 10);
    for (Vec3 k : once) { // half a cycle on, as readouts that are oversampled twice
        k[0] += 0.5;
        of.sampling.trajectory.push_back(k);
    }
    expect_complete(of, 15);
    for (Vec3& k : of.sampling.trajectory) { // another sign, and the next period
        k[0] = 6 - k[0];
    }
    expect_complete(of, 15);
}

TEST(CompleteLines, AllowForTheRoundingOfFloats) {
    const Lines exact = on_lines(make_grid(64, 48), 0, 200);
    Random random(3);
    Lines moved = exact;
    for (Vec3& k : moved.sampling.trajectory) {
        for (std::size_t d = 0; d < 2; ++d) {
            k[d] += 4e-7 * static_cast<double>(moved.grid.size[d]) * random.uniform(-1, 1);
        }
    }
    expect_complete(moved, 200);
    moved = exact;
    moved.sampling.trajectory[77][0] += 1e-2;
    EXPECT_NE(found_along(moved).missing, "");
    moved = exact;
    moved.sampling.trajectory[77][1] += 1e-2;
    EXPECT_NE(found_along(moved).missing, "");
}

TEST(CompleteLines, MayBeCloserThanRounding) {
    const Lines of = on_lines(make_grid(3, 4), 0, 30000);
    expect_complete(of, 30000);
}

TEST(CompleteLines, AreRefusedWithASampleTooFewOrTooMany) {
    Lines of = on_lines(make_grid(6, 5), 0, 8);
    of.sampling.trajectory.push_back(of.sampling.trajectory.front());
    EXPECT_EQ(found_along(of).missing,
              "1 of its 8 lines lack samples, or have some more often than others");
    of.sampling.trajectory.resize(47);
    EXPECT_EQ(found_along(of).missing,
              "its 47 samples are on more lines than 7, too many to have 6 each");
}

TEST(CompleteLines, HaveTheSameWeightsPhiAndTimesAllAlong) {
    Lines of = on_lines(make_grid(6, 5), 1, 8);
    const auto count = static_cast<Eigen::Index>(of.sampling.samples());
    RealVector values(count); // of the line
    for (Eigen::Index m = 0; m < count; ++m) {
        values(m) = 2 + std::sin(of.sampling.trajectory[static_cast<std::size_t>(m)][0]);
    }
    of.sampling.weights = of.sampling.times = values;
    of.sampling.phi = values.cast<Complex>();
    EXPECT_EQ(found_along(of, true).missing, "");
    of.sampling.times(17) += 1e-3;
    EXPECT_EQ(found_along(of, false).missing, "");
    EXPECT_EQ(found_along(of, true).missing, "times change along its lines");
    of.sampling.phi(16) *= Complex(0, 1);
    EXPECT_EQ(found_along(of).missing, "phi changes along its lines");
    of.sampling.weights(5) *= 1.001;
    EXPECT_EQ(found_along(of).missing, "weights change along its lines");
}

} // namespace
} // namespace lsrecon
