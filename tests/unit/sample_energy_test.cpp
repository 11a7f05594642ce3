#include "encoding/sample_energy.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "scan/noise.hpp"

namespace lsrecon {
namespace {

constexpr Eigen::Index coils = 4;
constexpr int readouts = 100;
constexpr int of_readout = 60;
constexpr double of_sample = coils * 2.0; ///< energy of noise whose parts have a deviation of 1

/// Readouts from the centre of k-space outwards.
Trajectory spokes() {
    Trajectory trajectory;
    for (int r = 0; r < readouts; ++r) {
        for (int i = 0; i < of_readout; ++i) {
            const double angle = 2 * pi * r / readouts;
            trajectory.positions.push_back({i * std::cos(angle), i * std::sin(angle), 0});
        }
    }
    return trajectory;
}

/// Of an object whose signal decays with the radius, in noise of so much deviation.
CoilMatrix samples_of(const Trajectory& trajectory, double signal, double deviation) {
    CoilMatrix samples(coils, static_cast<Eigen::Index>(trajectory.samples()));
    for (Eigen::Index m = 0; m < samples.cols(); ++m) {
        const Vec3& k = trajectory.positions[static_cast<std::size_t>(m)];
        samples.col(m).setConstant(signal * std::exp(-std::hypot(k[0], k[1]) / 3));
    }
    ReceiverNoise(deviation, 0, 1).add_to(samples);
    return samples;
}

TEST(MostEnergyOfNoise, IsThatOfNoiseWhereTheObjectEnds) {
    const Trajectory trajectory = spokes();
    for (const double signal : {0.0, 1000.0}) {
        const double found =
            most_energy_of_noise(trajectory, CoilRows(samples_of(trajectory, signal, 1)));
        EXPECT_NEAR(found / of_sample, 1, 0.1) << signal;
    }
}

TEST(MostEnergyOfNoise, IsSoWhateverTheTrajectory) {
    Trajectory trajectory = spokes();
    const CoilRows samples(samples_of(trajectory, 1000, 1));
    std::shuffle(trajectory.positions.begin(), trajectory.positions.end(), std::mt19937_64(1));
    EXPECT_LT(most_energy_of_noise(trajectory, samples) / of_sample, 2);
}

TEST(MostEnergyOfNoise, ZerosAreNoSamples) {
    const Trajectory trajectory = spokes();
    CoilMatrix samples = samples_of(trajectory, 1000, 1);
    for (Eigen::Index m = 0; m < samples.cols(); ++m) {
        if (m % of_readout > of_readout * 2 / 3) { // filled, as for a partial echo
            samples.col(m).setZero();
        }
    }
    EXPECT_NEAR(most_energy_of_noise(trajectory, CoilRows(samples)) / of_sample, 1, 0.1);
    samples.setZero();
    EXPECT_EQ(most_energy_of_noise(trajectory, CoilRows(samples)), 0);
    EXPECT_EQ(most_energy_of_noise(Trajectory(), CoilRows(CoilMatrix(coils, 0))), 0);
}

/// Readouts whose samples are `apart` cycles/FOV apart, of an object of half the field of view.
CoilMatrix smooth_samples(double apart, double deviation) {
    CoilMatrix samples(coils, static_cast<Eigen::Index>(readouts) * of_readout);
    for (Eigen::Index m = 0; m < samples.cols(); ++m) {
        const double k = apart * static_cast<double>(m % of_readout) + 0.3;
        samples.col(m).setConstant(1000 * std::sin(pi * k / 2) / (pi * k / 2));
    }
    ReceiverNoise(deviation, 0, 1).add_to(samples);
    return samples;
}

TEST(EnergyOfNoiseAlongReadouts, IsThatOfNoiseWhereReadoutsAreOversampled) {
    const CoilRows samples(smooth_samples(0.5, 1));
    EXPECT_NEAR(energy_of_noise_along_readouts(samples) / of_sample, 1, 0.3)
        << "some span two readouts";
    EXPECT_GT(energy_of_noise_along_readouts(CoilRows(smooth_samples(1.5, 1))) / of_sample, 10)
        << "not oversampled";
    EXPECT_EQ(energy_of_noise_along_readouts(CoilRows(CoilMatrix(CoilMatrix::Zero(2, 50)))), 0);
    EXPECT_EQ(energy_of_noise_along_readouts(CoilRows(CoilMatrix(CoilMatrix::Ones(2, 10)))), 0);
}

TEST(MostEnergyOfNoise, ASignalToTheEdgeIsAllThatIsKnown) {
    Trajectory trajectory = spokes();
    for (Vec3& k : trajectory.positions) { // cut off where there is signal
        k = {0.05 * k[0], 0.05 * k[1], 0};
    }
    const CoilRows samples(samples_of(trajectory, 1000, 1));
    EXPECT_GT(most_energy_of_noise(trajectory, samples), 100 * of_sample);
}

} // namespace
} // namespace lsrecon
