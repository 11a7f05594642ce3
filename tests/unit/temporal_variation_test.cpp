// The proximal map of temporal total variation against its definition and solutions that are known.

#include "operators/over_frames.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

using Stack = FrameStack<double>;

constexpr double within = 1e-6; ///< of the norm of the values, which the map promises

Stack shortened(const Stack& frames, double length) {
    return temporal_variation_shortened(Grid(), frames, length);
}

Stack random_stack(Eigen::Index voxels, Eigen::Index frames, std::uint64_t seed = 1) {
    test::Random random(seed);
    Stack stack(voxels, frames);
    for (Eigen::Index f = 0; f < frames; ++f) {
        stack.col(f) = random.vector(static_cast<std::size_t>(voxels));
    }
    return stack;
}

/// A voxel that is `first` in some frames, then `second`.
Stack step(Complex first, Eigen::Index frames, Complex second, Eigen::Index more) {
    Stack row(1, frames + more);
    row.leftCols(frames).setConstant(first);
    row.rightCols(more).setConstant(second);
    return row;
}

TEST(TemporalVariation, TwoRunsOfFramesMoveTowardsEachOther) {
    const Complex towards = Complex(3, 4) / 5.0;
    for (const double length : {1e-6, 0.1, 3.0}) { // at most 10 / (1/3 + 1/7) = 21 keeps them apart
        const Stack v = step({1, 2}, 3, {7, 10}, 7);
        const Stack expected = step(v(0) + length / 3 * towards, 3, v(9) - length / 7 * towards, 7);
        EXPECT_LT((shortened(v, length) - expected).norm(), within * v.norm()) << length;
    }
}

// f(z) = 1/2 |z - v|^2 + length sum |D z| is strongly convex: z is its minimum if and only if
// f(z + d) >= f(z) + 1/2 |d|^2 for every d.
TEST(TemporalVariation, ResultIsTheMinimumOfItsDefinition) {
    for (const Eigen::Index frames : {1, 2, 3, 12, 60}) {
        const Stack v = random_stack(1, frames);
        for (const double length : {1e-4, 0.05, 0.5, 3.0}) {
            const Stack z = shortened(v, length);
            const auto f = [&](const Stack& at) {
                const Stack steps = at.rightCols(frames - 1) - at.leftCols(frames - 1);
                return (at - v).squaredNorm() / 2 + length * steps.cwiseAbs().sum();
            };
            for (const double size : {1e-3, 0.1}) {
                for (std::uint64_t seed = 2; seed < 12; ++seed) {
                    Stack d = random_stack(1, frames, seed);
                    d *= size / d.norm();
                    const double found = f(z + d) - f(z) - size * size / 2;
                    EXPECT_GE(found, -within * v.norm() * size) << frames << ' ' << length;
                }
            }
        }
    }
}

TEST(TemporalVariation, VoxelsAreTheirOwnInBothPrecisionsAndWithTheSameBits) {
    const Stack v = random_stack(597, 9);
    const Stack z = shortened(v, 0.3);
    EXPECT_EQ(z, shortened(v, 0.3));
    for (const Eigen::Index n : {0, 255, 256, 596}) {
        EXPECT_EQ(z.row(n), shortened(v.row(n), 0.3));
    }
    const FrameStack<float> floats = v.cast<std::complex<float>>();
    EXPECT_LT((temporal_variation_shortened(Grid(), floats, 0.3).cast<Complex>() - z).norm(),
              2 * within * v.norm());
    // Neither a phase nor the direction of time matters.
    const Complex turn = std::polar(1.0, 0.7);
    const Stack other = shortened(turn * v.rowwise().reverse(), 0.3);
    EXPECT_LT((other - turn * z.rowwise().reverse()).norm(), 2 * within * v.norm());
}

TEST(TemporalVariation, NothingAndEverythingIsShortened) {
    const Stack v = random_stack(45, 4);
    EXPECT_EQ(shortened(v, 0), v);
    EXPECT_LT((shortened(v, 1e3).colwise() - v.rowwise().mean()).norm(), 1e-14 * v.norm());
    EXPECT_EQ(shortened(Stack::Zero(45, 4), 0.1), Stack::Zero(45, 4));
}

} // namespace
} // namespace lsrecon
