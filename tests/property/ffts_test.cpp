// The FFTs of every device and in every precision, and what is made of them.

#include <gtest/gtest.h>

#include "base/fft.hpp"
#include "base/tolerance.hpp"
#include "device/host_device.hpp"
#include "operators/embedding.hpp"
#include "support/arrays_fixture.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

using test::near;

using Ffts = test::ArraysFixture;

TEST_P(Ffts, ThereAndBackOfABatch) {
    const std::array<std::size_t, 3> extents{6, 5, 2};
    const std::size_t points = 60;
    const std::size_t batch = 3;
    const std::unique_ptr<FftPlan> fft = on.device().plan_fft(extents, batch, on.precision);
    const ComplexVector in = vector(batch * points);
    Array values = of(in);
    fft->forward(values);
    const ComplexVector there = on.device().download(values);
    for (std::size_t b = 0; b < batch; ++b) {
        const auto start = static_cast<Eigen::Index>(b * points);
        EXPECT_NEAR(std::abs(there(start) - in.segment(start, points).sum()), 0, points * bound());
    }
    fft->backward(values);
    EXPECT_TRUE(near(on.device().download(values), ComplexVector(double(points) * in),
                     tolerance::fft(points, on.epsilon())));
}

TEST_P(Ffts, ConvolveABatch) {
    const std::array<std::size_t, 3> extents{6, 5, 2};
    const std::size_t points = 60;
    const std::size_t batch = 3;
    const std::size_t before = 4; // of the spectra
    const std::unique_ptr<FftPlan> fft = on.device().plan_fft(extents, batch, on.precision);
    const Fft<double> exact(extents);
    const ComplexVector in = vector(batch * points);
    const RealVector spectra = vector(before + points).real();
    Array on_device = on.device().zeros(before + points, {false, on.precision});
    on.device().upload(spectra, {0, before + points}, 0, on_device);
    ComplexVector expected(in.size());
    for (Eigen::Index start = 0; start < in.size(); start += points) {
        ComplexVector values = in.segment(start, points);
        exact.forward(values.data());
        values.array() *= spectra.tail(points).array();
        exact.backward(values.data());
        expected.segment(start, points) = values;
    }
    Array values = of(in);
    fft->convolve(on_device, before, values);
    EXPECT_TRUE(
        near(on.device().download(values), expected, 4 * tolerance::fft(points, on.epsilon())));
}

// The reference does it by its other verbs. More maps than cores, fewer than the batch, and none;
// lengths of every radix, of one that is none, and workspace for one parity and for two.
TEST_P(Ffts, AddConvolutionsOfABoxInTwiceThePeriod) {
    const std::unique_ptr<Device> reference = make_reference_device();
    struct Case {
        std::array<std::size_t, 3> size, extents;
        std::size_t batch, maps;
    };
    std::vector<Case> cases{{{5, 4, 1}, {6, 5, 1}, 3, 3},
                            {{64, 60, 1}, {64, 63, 1}, 1, 0},
                            {{5, 4, 2}, {6, 4, 2}, 40, 37}};
    if (on.backend != "kernels" || test::slow_cases()) { // each is compiled
        cases.insert(cases.end(), {{{1, 7, 1}, {1, 7, 1}, 2, 1},
                                   {{9, 1, 1}, {10, 1, 1}, 9, 9},
                                   {{33, 40, 30}, {35, 40, 30}, 2, 2},
                                   {{7, 16, 27}, {7, 16, 27}, 10, 10},
                                   {{60, 11, 1}, {64, 11, 1}, 3, 3}});
    }
    for (const Case& at : cases) {
        const std::size_t points = at.extents[0] * at.extents[1] * at.extents[2];
        const Grid grid = test::make_grid(at.size[0], at.size[1], at.size[2] > 1 ? at.size[2] : 0);
        const std::vector<std::array<int, 3>> parities = Embedding(grid, true).parities;
        const ComplexVector any_factors = vector(std::size_t(128));
        const RealVector spectra = vector(parities.size() * points).real();
        const ComplexVector in = vector(grid.voxels());
        const ComplexVector before = vector(grid.voxels());
        const CoilRows maps(
            random.matrix(static_cast<Eigen::Index>(std::max<std::size_t>(1, at.maps)),
                          static_cast<Eigen::Index>(grid.voxels())));
        const auto added_on = [&](Device& device, Precision precision, Precision of_maps,
                                  std::size_t periods_of_map) {
            std::vector<Box> boxes;
            for (const std::array<int, 3>& parity : parities) {
                boxes.push_back(with_factors(
                    device, precision, {grid.size, {0, 0, 0}, at.extents, {}},
                    [&](std::size_t d, std::size_t n) {
                        const auto any = static_cast<Eigen::Index>(40 * d + n);
                        return (grid.size[d] > 1 ? any_factors(any) : Complex(1)) *
                               std::polar(1.0, -pi * parity[d] * static_cast<double>(n) /
                                                   static_cast<double>(at.extents[d]));
                    }));
            }
            std::vector<Array> arrays(1);
            for (std::size_t c = 0; c < at.maps; ++c) {
                arrays.resize(at.maps);
                arrays[c] = device.zeros(grid.voxels(), {true, of_maps});
                device.upload(maps, {c, 1}, {0, grid.voxels()}, 0, arrays[c]);
            }
            Array on_device = device.zeros(parities.size() * points, {false, precision});
            device.upload(spectra, {0, parities.size() * points}, 0, on_device);
            Array values = device.zeros(grid.voxels(), {true, precision});
            device.upload(in, values);
            Array out = device.zeros(grid.voxels(), {true, precision});
            device.upload(before, out);
            Array periods = device.zeros(at.batch * periods_of_map * points, {true, precision});
            const std::unique_ptr<FftPlan> fft = device.plan_fft(at.extents, at.batch, precision);
            fft->add_convolution({boxes, on_device, periods}, arrays, values, out);
            return device.download(out);
        };
        const ComplexVector expected =
            added_on(*reference, Precision::float64, Precision::float64, 1);
        for (const Precision of_maps : {Precision::float32, Precision::float64}) {
            // Kernels take a while to compile on a CPU: there, of one precision.
            if (on.device().has(of_maps) && (on.backend != "kernels" || of_maps == on.precision)) {
                const double roundings = std::max(on.epsilon(), unit_roundoff(of_maps));
                for (const std::size_t periods_of_map : {1, 3, 6}) {
                    EXPECT_TRUE(near(added_on(on.device(), on.precision, of_maps, periods_of_map),
                                     expected, 8 * tolerance::fft(points, roundings)))
                        << grid.size[0] << " x " << grid.size[1] << ", " << at.maps << " maps in "
                        << periods_of_map << " periods each";
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Ffts, testing::ValuesIn(test::verb_cases()));

} // namespace
} // namespace lsrecon
