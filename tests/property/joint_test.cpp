// Frames that are solved together, on every device.

#include "encoding/joint.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engines/transforms.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::Diagonal;
using test::make_grid;
using test::near;

class Joint : public test::ArraysFixture {
protected:
    using Choices = std::vector<RegulariserChoice>;

    /// Frames whose least-squares images are the rows.
    std::vector<Solved> solved(const Grid& grid, const std::vector<ComplexVector>& images,
                               const Choices& chosen, const std::vector<double>& units = {},
                               std::size_t problems = 1) {
        std::vector<JointFrame> frames;
        for (std::size_t f = 0; f < images.size(); ++f) {
            const double unit = units.empty() ? 1 : units[f];
            JointFrame frame;
            frame.system = std::make_shared<System>(
                on.device(), on.precision,
                std::make_unique<Diagonal>(on.device(), grid.voxels(), unit), 0,
                make_regularisers(chosen, {on.device(), on.precision, grid}));
            frame.fhd.resize(problems, Volume(ComplexVector(unit * images[f])));
            frame.monitor = [this](const Iteration&) { ++residuals; };
            frames.push_back(std::move(frame));
        }
        SolveOptions options;
        options.iterations = 400;
        options.tolerance = 1e-4;
        options.regularisers = chosen;
        Reporter report;
        return solve_jointly(frames, no_maps, options, report);
    }

    std::vector<ComplexVector> random_images(std::size_t frames, std::size_t voxels) {
        std::vector<ComplexVector> images;
        for (std::size_t f = 0; f < frames; ++f) {
            images.push_back(vector(voxels));
        }
        return images;
    }

    CoilRows no_maps;
    std::size_t residuals = 0; ///< that were reported
};

// A patch of one voxel in frames whose samples count c_f: with n the norm of x over frames and
// t = w s (1 + sqrt(F)), c_f (x_f - d_f) + t x_f / n = 0, so that x_f = d_f / (1 + t / (c_f n)).
TEST_P(Joint, FramesCountAsTheirSamplesDo) {
    const std::vector<Complex> d{Complex(3, 1), Complex(0, -2)};
    const std::vector<double> units{5, 15};
    std::vector<ComplexVector> images;
    for (const Complex& value : d) {
        images.push_back(ComplexVector::Constant(1, value));
    }
    const double t = 0.2 * std::abs(d[0]) * (1 + std::sqrt(2.0));
    const auto x = [&](std::size_t f, double n) { return d[f] / (1 + t / (units[f] / 10 * n)); };
    double n = 10;
    for (int i = 0; i < 200; ++i) { // a fixed point
        n = std::sqrt(std::norm(x(0, n)) + std::norm(x(1, n)));
    }
    ASSERT_GT(n, 1);
    const std::vector<Solved> found = solved(make_grid(1, 1), images, {{"llr", 0.2}}, units);
    for (std::size_t f = 0; f < 2; ++f) {
        EXPECT_NEAR(std::abs(found[f].image(0) - x(f, n)), 0, 1e-3 * n);
        EXPECT_EQ(found[f].stops, std::vector<Stop>{Stop::tolerance});
    }
    EXPECT_EQ(residuals, found[0].residuals[0].size() + found[1].residuals[0].size());
}

// One voxel: as above, d_0 and d_1 move towards each other by t / c_f, with t = w s.
TEST_P(Joint, ConsecutiveFramesMoveTowardsEachOther) {
    const Complex d0(3, 1);
    const Complex d1(0, -2);
    const Complex moved = 0.2 * std::abs(d0) * (d1 - d0) / std::abs(d1 - d0);
    const std::vector<Solved> found =
        solved(make_grid(1, 1), {ComplexVector::Constant(1, d0), ComplexVector::Constant(1, d1)},
               {{"ttv", 0.2}}, {5, 15});
    EXPECT_NEAR(std::abs(found[0].image(0) - (d0 + moved / 0.5)), 0, 3e-3);
    EXPECT_NEAR(std::abs(found[1].image(0) - (d1 - moved / 1.5)), 0, 3e-3);
}

TEST_P(Joint, AnyScaleEitherWayAndTheSameBits) {
    const Grid grid = make_grid(9, 7);
    const std::vector<ComplexVector> images = random_images(3, 63);
    for (const char* const name : {"llr", "ttv"}) {
        const std::vector<Solved> first = solved(grid, images, {{name, 0.05}});
        const std::vector<Solved> again = solved(grid, images, {{name, 0.05}});
        const std::vector<Solved> turned =
            solved(grid, {1e6 * images[2], 1e6 * images[1], 1e6 * images[0]}, {{name, 0.05}});
        for (std::size_t f = 0; f < 3; ++f) {
            EXPECT_EQ(first[f].image, again[f].image);
            EXPECT_TRUE(near(turned[2 - f].image, 1e6 * first[f].image, 1e-3)) << name;
            EXPECT_FALSE(near(first[f].image, images[f], 0.03)) << "nothing was shortened";
            EXPECT_EQ(first[f].stops, std::vector<Stop>{Stop::tolerance});
        }
    }
}

TEST_P(Joint, BesideTermsOfEachFrame) {
    // What a hardly penalised joint term leaves is total variation of every frame, whose solution
    // is known: two halves of 8 move towards each other.
    ComplexVector step(16);
    step.head(8).setConstant(2);
    step.tail(8).setConstant(4);
    const double moved = 0.1 * 4 / 8; // s is that of the first frame
    ComplexVector expected(16);
    expected.head(8).setConstant(2 + moved);
    expected.tail(8).setConstant(4 - moved);
    const std::vector<Solved> found = solved(
        make_grid(16, 1), {step, -ComplexVector(step.reverse())}, {{"llr", 1e-6}, {"tv", 0.1}});
    EXPECT_TRUE(near(found[0].image, expected, 1e-3));
    EXPECT_TRUE(near(found[1].image, -ComplexVector(expected.reverse()), 1e-3));
    // Two joint ones, of frames that are equal but for total variation.
    EXPECT_TRUE(near(
        solved(make_grid(16, 1), {step, step}, {{"llr", 1e-6}, {"ttv", 0.1}, {"tv", 0.1}})[1].image,
        expected, 1e-3));
    // A quadratic one, which keeps what is constant.
    const ComplexVector constant = ComplexVector::Constant(16, 2);
    EXPECT_TRUE(near(
        solved(make_grid(16, 1), {constant, constant}, {{"llr", 1e-6}, {"roughness", 1}})[1].image,
        constant, 1e-3));
}

TEST_P(Joint, CoilsWithoutMapsAreProblemsOfTheirOwn) {
    const Grid grid = make_grid(5, 3);
    const std::vector<ComplexVector> images = random_images(2, 15);
    const std::vector<Solved> one = solved(grid, images, {{"llr", 0.05}});
    const std::vector<Solved> two = solved(grid, images, {{"llr", 0.05}}, {}, 2);
    for (std::size_t f = 0; f < 2; ++f) {
        const ComplexVector expected =
            (std::sqrt(2.0) * one[f].image.cwiseAbs()).cast<Complex>(); // the root of both squares
        EXPECT_TRUE(near(two[f].image, expected, bound()));
        EXPECT_EQ(two[f].residuals.size(), 2U);
    }
}

TEST_P(Joint, AFrameOfZerosIsOneAmongOthers) {
    const Grid grid = make_grid(9, 7);
    std::vector<ComplexVector> images = random_images(3, 63);
    images[0].setZero();
    const std::vector<Solved> found = solved(grid, images, {{"llr", 0.05}, {"tv", 0.01}});
    EXPECT_LT(found[0].image.norm(), 0.1 * found[1].image.norm());
    EXPECT_GT(found[1].image.norm(), 0.3 * images[1].norm());
    for (ComplexVector& image : images) {
        image.setZero();
    }
    for (const Solved& frame : solved(grid, images, {{"llr", 0.05}})) {
        EXPECT_EQ(frame.image, ComplexVector::Zero(63));
    }
}

TEST_P(Joint, OneFrameAloneIsRefusedByItsSystem) {
    for (const char* const name : {"llr", "ttv"}) {
        System system(on.device(), on.precision, std::make_unique<Diagonal>(on.device(), 4, 1), 0,
                      make_regularisers({{name, 1}}, {on.device(), on.precision, make_grid(2, 2)}));
        EXPECT_THROW(system.solve(Volume(vector(4)), {}), UsageError);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Joint, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
