#include "scan/noise.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

TEST(ReceiverNoise, SamplesHaveTheAskedDeviation) {
    SimulationOptions options = options_of("spiral", make_grid(64, 64));
    const CoilMatrix clean = simulated(options).scan.frames.front().samples.to_doubles();
    options.noise = 0.05;
    const CoilMatrix noise = simulated(options).scan.frames.front().samples.to_doubles() - clean;
    const double count = static_cast<double>(noise.size());
    const double requested = 0.05 * std::sqrt(clean.squaredNorm() / count);
    // An estimate from n numbers is right to 1 / sqrt(2 n) of itself: 5 times that here.
    const double tolerance = 5 / std::sqrt(2 * count) * requested;
    EXPECT_NEAR(std::sqrt(noise.real().squaredNorm() / count), requested, tolerance);
    EXPECT_NEAR(std::sqrt(noise.imag().squaredNorm() / count), requested, tolerance);
    EXPECT_LT(std::abs(noise.sum() / count), 5 * requested * std::sqrt(2 / count));
    const double together = noise.real().cwiseProduct(noise.imag()).sum() / count;
    EXPECT_LT(std::abs(together), 5 * requested * requested / std::sqrt(count));
}

TEST(ReceiverNoise, ImageHasTheAskedSnr) {
    for (const Grid& grid : {make_grid(48, 40), make_grid(12, 10, 9)}) {
        SimulationOptions options = options_of("cartesian", grid);
        const ComplexVector clean = inverse_transform(simulated(options).scan);
        options.snr = 20;
        const Simulation simulation = simulated(options);
        const ComplexVector noise = inverse_transform(simulation.scan) - clean;
        double signal = 0;
        double voxels = 0;
        for (const Complex& value : simulation.truth.col(0)) {
            if (value.real() > 0.1 * simulation.truth.real().maxCoeff()) {
                signal += value.real();
                ++voxels;
            }
        }
        const double count = static_cast<double>(grid.voxels());
        const double requested = signal / voxels / 20;
        // An estimate from n numbers is right to 1 / sqrt(2 n) of itself: 5 times that here.
        EXPECT_NEAR(std::sqrt(noise.real().squaredNorm() / count), requested,
                    5 / std::sqrt(2 * count) * requested);
    }
}

/// <n_c conj(n_d)> of unit diagonal on average, for a `deviation` of real and imaginary parts.
Eigen::MatrixXcd correlations(const CoilMatrix& noise, double deviation) {
    return noise * noise.adjoint() / (2 * deviation * deviation * double(noise.cols()));
}

TEST(ReceiverNoise, CoilsAreCorrelatedInSamplesAndInNoiseAlone) {
    SimulationOptions options = options_of("radial", make_grid(32, 32));
    options.coils = 4;
    const CoilMatrix clean = simulated(options).scan.frames.front().samples.to_doubles();
    options.noise = 0.2;
    options.noise_correlation = -0.6;
    options.noise_samples = 5000;
    const Scan scan = simulated(options).scan;
    ASSERT_EQ(scan.noise.rows(), 4u);
    ASSERT_EQ(scan.noise.columns(), 5000u);
    const double deviation = 0.2 * std::sqrt(clean.squaredNorm() / double(clean.size()));
    const CoilMatrix in_samples = scan.frames.front().samples.to_doubles() - clean;
    for (const CoilMatrix& noise : {in_samples, scan.noise.to_doubles()}) {
        const Eigen::MatrixXcd found = correlations(noise, deviation);
        for (Eigen::Index c = 0; c < 4; ++c) {
            for (Eigen::Index d = 0; d < 4; ++d) {
                // A mean over M products of numbers of unit variance: 5 standard deviations.
                EXPECT_NEAR(std::abs(found(c, d) - std::pow(-0.6, std::abs(double(c - d)))), 0,
                            5 / std::sqrt(double(noise.cols())))
                    << c << ", " << d;
            }
        }
    }
    // Noise alone is not the noise of the samples once more.
    EXPECT_GT(std::abs(in_samples(0, 0) - scan.noise(0, 0)), 1e-3 * deviation);
    options.noise_samples = 0;
    EXPECT_EQ(simulated(options).scan.frames.front().samples, scan.frames.front().samples);
}

TEST(ReceiverNoise, FramesHaveTheirOwnOfOneDeviation) {
    SimulationOptions options = options_of("radial", make_grid(32, 32));
    options.frames = 2;
    options.snr = 10;
    const Simulation simulation = simulated(options);
    const double deviation = deviation_of_snr(10, simulation.truth.col(0));
    // The clean samples of both are the same.
    const CoilMatrix difference = simulation.scan.frames[0].samples.to_doubles() -
                                  simulation.scan.frames[1].samples.to_doubles();
    const double count = static_cast<double>(difference.size());
    EXPECT_NEAR(std::sqrt(difference.real().squaredNorm() / count), std::sqrt(2) * deviation,
                5 / std::sqrt(2 * count) * std::sqrt(2) * deviation);
}

TEST(ReceiverNoise, RefusesOptionsThatContradict) {
    const auto refused = [](const auto& change) {
        SimulationOptions options = options_of("radial", make_grid(8, 8));
        options.coils = 3;
        options.noise = 0.1;
        change(options);
        EXPECT_THROW(simulated(options), UsageError);
    };
    refused([](SimulationOptions& options) { options.noise_samples = 5; });
    refused([](SimulationOptions& options) {
        options.noise_samples = 6;
        options.noise = 0;
    });
    refused([](SimulationOptions& options) {
        options.noise_correlation = 0.5;
        options.noise = 0;
    });
    refused([](SimulationOptions& options) {
        options.noise_correlation = 0.5;
        options.coils = 1;
    });
}

} // namespace
} // namespace lsrecon
