// The wavelet transform on every device: against plain loops over an orthogonal transform, and the
// solution that it regularises against its dual problem.

#include "operators/wavelet.hpp"

#include <gtest/gtest.h>

#include "device/host_device.hpp"
#include "operators/regularisers.hpp"
#include "solve/splitting.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/systems.hpp"

namespace lsrecon {
namespace {

using test::make_grid;
using test::near;

class Wavelets : public test::ArraysFixture {
protected:
    ComplexVector forward(Wavelet& wavelet, const ComplexVector& in) {
        Array out = on.device().zeros(wavelet.outputs(), {true, on.precision});
        wavelet.apply(of(in), out);
        return on.device().download(out);
    }
    ComplexVector adjoint(Wavelet& wavelet, const ComplexVector& in) {
        Array out = on.device().zeros(wavelet.inputs(), {true, on.precision});
        wavelet.adjoint(of(in), out);
        return on.device().download(out);
    }
};

/// Odd sizes, lines, a single voxel, filters that wrap more than once, several levels.
std::vector<Grid> wavelet_grids() {
    return {make_grid(1, 1),  make_grid(2, 1),   make_grid(3, 2),     make_grid(1, 65),
            make_grid(30, 7), make_grid(67, 29), make_grid(9, 14, 5), make_grid(26, 3, 1)};
}

TEST_P(Wavelets, AdjointOfTheTransformUndoesIt) {
    for (const Grid& grid : wavelet_grids()) {
        Wavelet wavelet(on.device(), grid, on.precision);
        EXPECT_TRUE(test::adjoint_test([&](const ComplexVector& x) { return forward(wavelet, x); },
                                       [&](const ComplexVector& y) { return adjoint(wavelet, y); },
                                       wavelet.inputs(), wavelet.outputs(), bound(16)));
        const ComplexVector x = vector(grid.voxels());
        // 4 taps a filter, up to 3 filters a level and 3 levels, there and back.
        EXPECT_TRUE(near(adjoint(wavelet, forward(wavelet, x)), x, bound(4 * 3 * 3 * 2)));
    }
}

TEST_P(Wavelets, DetailOfAStraightLineIsZeroAwayFromItsEnds) {
    const Grid grid = make_grid(64, 1);
    Wavelet wavelet(on.device(), grid, on.precision);
    const std::vector<WaveletLevels> transforms = wavelet_transforms(grid);
    ASSERT_EQ(transforms.size(), 2U);
    const ComplexVector line = ComplexVector::LinSpaced(64, {0, 3}, {63, 3 + 126});
    const ComplexVector numbers = forward(wavelet, line);
    for (const WaveletLevels& levels : transforms) {
        ASSERT_EQ(levels.size(), 3U);
    }
    for (const WaveletLevel& level : {transforms[0][0], transforms[0][1], transforms[0][2],
                                      transforms[1][0], transforms[1][1], transforms[1][2]}) {
        const auto first = static_cast<Eigen::Index>(64 * level.first);
        // Filters of this level and those before begin at n and reach n + 3 (2 step - 1).
        const auto inside = static_cast<Eigen::Index>(64 - 3 * (2 * level.step - 1));
        EXPECT_LT(numbers.segment(first, inside).norm(), bound(64) * line.norm());
        EXPECT_GT(numbers.segment(first, 64).norm(), 0.01 * line.norm()) << "at its ends";
    }
}

/// One level of an orthogonal transform along a line of even length: averages, then detail.
void orthogonal_step(ComplexVector& line) {
    const double root = std::sqrt(3.0);
    const double scale = 4 * std::sqrt(2.0);
    const double taps[] = {(1 + root) / scale, (3 + root) / scale, (3 - root) / scale,
                           (1 - root) / scale};
    const Eigen::Index half = line.size() / 2;
    ComplexVector result = ComplexVector::Zero(line.size());
    for (Eigen::Index n = 0; n < half; ++n) {
        for (Eigen::Index t = 0; t < 4; ++t) {
            const Complex value = line((2 * n + t) % line.size());
            result(n) += taps[t] * value;
            result(half + n) += (t % 2 == 0 ? 1 : -1) * taps[3 - t] * value;
        }
    }
    line = result;
}

/// The sum of magnitudes of the detail of an orthogonal transform, of two levels along x and one
/// along y.
double orthogonal_l1(const CoilMatrix& image) { // Y x X
    CoilMatrix all = image;
    const auto step = [](auto lines) {
        for (Eigen::Index i = 0; i < lines.rows(); ++i) {
            ComplexVector line = lines.row(i).transpose();
            orthogonal_step(line);
            lines.row(i) = line.transpose();
        }
    };
    step(all.block(0, 0, all.rows(), all.cols()));
    step(all.transpose());
    const Eigen::Index rows = all.rows() / 2;
    step(all.block(0, 0, rows, all.cols() / 2));
    return all.cwiseAbs().sum() - all.block(0, 0, rows, all.cols() / 4).cwiseAbs().sum();
}

TEST_P(Wavelets, ThePenaltyIsTheMeanOfOrthogonalTransformsOverShiftsAndTheMirrorImage) {
    constexpr Eigen::Index width = 16; // two levels
    constexpr Eigen::Index height = 8; // one
    const CoilMatrix image = test::unflat(vector(width * height), height);
    double mean = 0;
    for (Eigen::Index x = 0; x < width; ++x) {
        for (Eigen::Index y = 0; y < height; ++y) {
            const CoilMatrix shifted =
                CoilMatrix::NullaryExpr(height, width, [&](Eigen::Index row, Eigen::Index column) {
                    return image((row + y) % height, (column + x) % width);
                });
            mean += orthogonal_l1(shifted) / (2 * width * height);
            mean += orthogonal_l1(shifted.reverse()) / (2 * width * height);
        }
    }
    const Grid grid = make_grid(width, height);
    Wavelet wavelet(on.device(), grid, on.precision);
    const ComplexVector numbers = forward(wavelet, test::flat(image));
    double penalty = 0;
    for (const Penalised& of_level : wavelet_details(grid)) {
        penalty += of_level.share * numbers
                                        .segment(static_cast<Eigen::Index>(of_level.first),
                                                 static_cast<Eigen::Index>(of_level.count))
                                        .cwiseAbs()
                                        .sum();
    }
    EXPECT_NEAR(penalty, mean, bound(16) * mean);
}

/// argmin 1/2 ||x - b||^2 + sum of lengths |K x| by projected gradients on its dual problem,
/// argmin 1/2 ||b - K^H y||^2 with |y| <= lengths (Chambolle 2004), on the reference device.
ComplexVector by_the_dual(const Grid& grid, const ComplexVector& b, double weight) {
    const std::unique_ptr<Device> device = make_reference_device();
    Wavelet k(*device, grid, Precision::float64);
    RealVector lengths = RealVector::Zero(static_cast<Eigen::Index>(k.outputs()));
    for (const Penalised& of_level : wavelet_details(grid)) {
        lengths
            .segment(static_cast<Eigen::Index>(of_level.first),
                     static_cast<Eigen::Index>(of_level.count))
            .setConstant(weight * of_level.share);
    }
    Array image = device->zeros(grid.voxels(), {true, Precision::float64});
    Array numbers = device->zeros(k.outputs(), {true, Precision::float64});
    ComplexVector y = ComplexVector::Zero(lengths.size());
    ComplexVector x = b;
    for (int i = 0; i < 2000; ++i) {
        device->upload(x, image);
        k.apply(image, numbers);
        y += device->download(numbers);
        for (Eigen::Index n = 0; n < y.size(); ++n) {
            y(n) *= std::min(1.0, lengths(n) / std::max(std::abs(y(n)), 1e-300));
        }
        device->upload(y, numbers);
        k.adjoint(numbers, image);
        x = b - device->download(image);
    }
    return x;
}

TEST_P(Wavelets, SolutionIsThatOfTheDualProblem) {
    const Grid grid = make_grid(15, 8);
    ComplexVector b = vector(grid.voxels()) + 3 * ComplexVector::Ones(15 * 8);
    constexpr double weight = 0.2;
    const ComplexVector expected = by_the_dual(grid, b, weight * b.cwiseAbs().maxCoeff());
    ASSERT_GT((expected - b).norm(), 0.1 * b.norm()) << "the weight does nothing";
    test::Diagonal one(on.device(), grid.voxels());
    const Regularised a(on.device(), on.precision, one, 0);
    const std::vector<RegulariserTerm> terms =
        make_regularisers({{"wavelet", weight}}, {on.device(), on.precision, grid});
    SolveOptions options;
    options.iterations = 400;
    options.tolerance = 1e-4;
    const Solution solution =
        split_solve(on.device(), on.precision,
                    {{a, {&terms[0]}, Volume(b), b.cwiseAbs().maxCoeff()}}, options)[0];
    EXPECT_TRUE(near(solution.x, expected, 1e-3)); // as the tolerance of either residual leaves it
}

INSTANTIATE_TEST_SUITE_P(Devices, Wavelets, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
