#include <cmath>
#include <gtest/gtest.h>

#include "base/types.hpp"
#include "engines/nufft/kernel.hpp"

namespace lsrecon {
namespace {

const NufftRates on_a_core{
    [](std::size_t width) { return 2.5e-10 * std::pow(static_cast<double>(width), 3); }, 6e-10};

/// What a kernel leaves of exp(i 2 pi f x) at a sample x points beyond a point, relative.
double left_at(const SpreadingKernel& kernel, double frequency, double x) {
    Complex sum = 0;
    for (int j = -20; j <= 20; ++j) {
        sum += kernel.value(x - j) * std::polar(1.0, 2 * pi * frequency * (x - j));
    }
    return std::abs(sum / kernel.transform(frequency) - 1.0);
}

TEST(SpreadingKernel, LeavesNoMoreThanItSays) {
    for (const double oversampling : {1.25, 1.6, 2.0}) {
        for (const std::size_t width : {3U, 6U, 9U, 14U}) {
            const SpreadingKernel kernel(width, oversampling);
            double largest = 0;
            for (int i = 0; i < 60; ++i) {
                for (int p = 0; p < 50; ++p) {
                    largest =
                        std::max(largest, left_at(kernel, i / 59.0 / 2 / oversampling, p / 50.0));
                }
            }
            EXPECT_LT(largest, kernel.error()) << width << " " << oversampling;
            EXPECT_GT(largest, 0.4 * kernel.error()) << width << " " << oversampling;
        }
    }
}

TEST(SpreadingKernel, IsMoreExactTheWiderItIs) {
    for (const double oversampling : {1.25, 2.0}) {
        for (std::size_t width = 3; width < 15; ++width) {
            EXPECT_LT(2 * SpreadingKernel(width + 1, oversampling).error(),
                      SpreadingKernel(width, oversampling).error())
                << width << " " << oversampling;
        }
    }
}

TEST(SpreadingKernel, HasTheBestBeta) {
    constexpr double chance = 0.7; // of measuring at other points
    for (const double oversampling : {1.25, 1.5, 1.75, 2.0, 2.5}) {
        for (const std::size_t width : {2U, 4U, 7U, 8U, 9U, 12U, 14U}) {
            const double error = SpreadingKernel(width, oversampling).error();
            for (double beta = 0.72; beta < 1; beta += 0.02) {
                EXPECT_GT(SpreadingKernel(width, oversampling, beta).error(), chance * error)
                    << width << " " << oversampling << " " << beta;
            }
        }
    }
}

TEST(SpreadingKernel, IsTheExponentialOfASemicircle) {
    const SpreadingKernel kernel(8, 2);
    EXPECT_NEAR(kernel.value(0), 1, 1e-8);
    EXPECT_NEAR(kernel.value(-2.3), kernel.value(2.3), 1e-9);
    const double beta = std::log(kernel.value(2)) / (std::sqrt(1 - 0.25) - 1);
    EXPECT_NEAR(beta / (pi * 8 * 0.75), 0.96, 0.06) << "Barnett's gamma";
    EXPECT_NEAR(kernel.value(3), std::exp(beta * (std::sqrt(1 - 0.5625) - 1)), 1e-8);
    EXPECT_EQ(kernel.value(4.1), 0);
}

TEST(NufftGrid, IsAsExactAsRequested) {
    for (const double accuracy : {1e-1, 1e-3, 1e-6, 1e-9, 1e-12}) {
        for (const std::array<std::size_t, 3>& size :
             {std::array<std::size_t, 3>{1, 1, 1}, {7, 1, 1}, {64, 48, 1}, {31, 29, 37}}) {
            const NufftGrid grid =
                choose_nufft_grid(size, 1000, accuracy, Precision::float64, on_a_core);
            EXPECT_LE(grid.error, accuracy);
            for (std::size_t d = 0; d < 3; ++d) {
                EXPECT_GE(grid.fine[d], size[d] > 1 ? 1.25 * static_cast<double>(size[d]) : 1);
            }
        }
    }
    const NufftGrid most =
        choose_nufft_grid({64, 64, 64}, 1000, 1e-9, Precision::float32, on_a_core);
    EXPECT_GT(most.error, 1e-9) << "floats do not reach it, and say so";
    EXPECT_LT(most.error, 3e-6);
}

TEST(NufftGrid, FewSamplesTakeASmallGridAndMany) {
    const auto width = [](std::size_t samples) {
        return choose_nufft_grid({128, 128, 128}, samples, 1e-5, Precision::float32, on_a_core)
            .kernel.width();
    };
    EXPECT_GT(width(1000), width(100000000));
}

} // namespace
} // namespace lsrecon
