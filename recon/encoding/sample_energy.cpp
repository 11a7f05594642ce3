// Estimates noise from samples at the edge of k-space and from the quietest ones.

#include "encoding/sample_energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "base/parallel.hpp"

namespace lsrecon {

double energy_of(const Trajectory& trajectory, const CoilRows& samples) {
    std::vector<double> of_coils(samples.rows());
    samples.visit([&](const auto& rows) {
        for_each_in_parallel(of_coils.size(), [&](std::size_t c) {
            const auto* const row = rows.data() + c * samples.columns();
            double sum = 0;
            for (std::size_t m = 0; m < samples.columns(); ++m) {
                sum += trajectory.weight(m) * std::norm(Complex(row[m]));
            }
            of_coils[c] = sum;
        });
    });
    return std::accumulate(of_coils.begin(), of_coils.end(), 0.0);
}

namespace {

/// Some of many samples, and not every so many, which may lie at the same points of their readouts.
std::vector<std::size_t> some_of(std::size_t samples) {
    constexpr std::size_t enough = 1 << 16;
    const std::size_t step = std::max<std::size_t>(1, samples / enough);
    std::mt19937_64 generator(1);
    std::vector<std::size_t> some;
    for (std::size_t m = 0; m < samples; m += 1 + generator() % (2 * step - 1)) {
        some.push_back(m);
    }
    return some;
}

/// The energies of these samples, a column a coil.
Eigen::MatrixXd energies_of(const CoilRows& samples, const std::vector<std::size_t>& some) {
    Eigen::MatrixXd energies(static_cast<Eigen::Index>(some.size()),
                             static_cast<Eigen::Index>(samples.rows()));
    for_each_in_parallel(samples.rows(), [&](std::size_t c) {
        for (std::size_t i = 0; i < some.size(); ++i) {
            energies(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) =
                std::norm(samples(c, some[i]));
        }
    });
    return energies;
}

/// The mean energy of all coils in the outermost tenth of the samples, where there is little but
/// noise.
double energy_at_edge(const Trajectory& trajectory, const std::vector<std::size_t>& some,
                      const Eigen::MatrixXd& energies) {
    constexpr double share = 0.1;
    Vec3 reach{0, 0, 0};
    for (const std::size_t m : some) {
        for (std::size_t d = 0; d < 3; ++d) {
            reach[d] = std::max(reach[d], std::abs(trajectory.positions[m][d]));
        }
    }
    std::vector<std::pair<double, double>> by_radius; // squared, of an ellipsoid, and the energy
    for (std::size_t i = 0; i < some.size(); ++i) {
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double k = reach[d] > 0 ? trajectory.positions[some[i]][d] / reach[d] : 0;
            square += k * k;
        }
        double energy = 0;
        for (Eigen::Index c = 0; c < energies.cols(); ++c) {
            energy += energies(static_cast<Eigen::Index>(i), c);
        }
        if (energy > 0) {
            by_radius.emplace_back(square, energy);
        }
    }
    const auto count = static_cast<long>(std::ceil(share * static_cast<double>(by_radius.size())));
    const auto last = by_radius.begin() + std::max(0L, count - 1);
    std::nth_element(by_radius.begin(), last, by_radius.end(), std::greater<>());
    const double sum =
        std::accumulate(by_radius.begin(), by_radius.begin() + count, 0.0,
                        [](double all, const auto& one) { return all + one.second; });
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// The mean energy of noise, estimated from the quietest quarter of each coil's samples, wherever
/// in k-space they lie. The energies of noise alone are distributed exponentially, and signal makes
/// them larger.
double energy_of_quietest(const Eigen::MatrixXd& energies) {
    constexpr double share = 0.25;
    std::vector<double> quietest(static_cast<std::size_t>(energies.cols()), 0);
    for_each_in_parallel(quietest.size(), [&](std::size_t c) {
        std::vector<double> given;
        for (const double energy : energies.col(static_cast<Eigen::Index>(c))) {
            if (energy > 0) {
                given.push_back(energy);
            }
        }
        if (!given.empty()) {
            const auto at =
                given.begin() + static_cast<long>(share * static_cast<double>(given.size()));
            std::nth_element(given.begin(), at, given.end());
            quietest[c] = *at / -std::log1p(-share);
        }
    });
    return std::accumulate(quietest.begin(), quietest.end(), 0.0);
}

} // namespace

double energy_of_noise_along_readouts(const CoilRows& samples) {
    constexpr std::array<double, 11> weights{1, -10, 45, -120, 210, -252, 210, -120, 45, -10, 1};
    constexpr double sum_of_squares = 184756;
    if (samples.columns() < weights.size()) {
        return 0;
    }
    const std::vector<std::size_t> some = some_of(samples.columns() - weights.size() + 1);
    Eigen::MatrixXd energies(static_cast<Eigen::Index>(some.size()),
                             static_cast<Eigen::Index>(samples.rows()));
    for_each_in_parallel(samples.rows(), [&](std::size_t c) {
        for (std::size_t i = 0; i < some.size(); ++i) {
            Complex difference = 0;
            bool is_measured = true;
            for (std::size_t j = 0; j < weights.size(); ++j) {
                const Complex sample = samples(c, some[i] + j);
                difference += weights[j] * sample;
                is_measured = is_measured && sample != Complex(0);
            }
            energies(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) =
                is_measured ? std::norm(difference) / sum_of_squares : 0;
        }
    });
    return energy_of_quietest(energies);
}

double most_energy_of_noise(const Trajectory& trajectory, const CoilRows& samples) {
    const std::vector<std::size_t> some = some_of(samples.columns());
    const Eigen::MatrixXd energies = energies_of(samples, some);
    return std::min(energy_at_edge(trajectory, some, energies), energy_of_quietest(energies));
}

} // namespace lsrecon
