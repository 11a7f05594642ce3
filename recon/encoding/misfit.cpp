#include "encoding/misfit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "base/parallel.hpp"

namespace lsrecon {

namespace {

/// A row of values that pad() puts next to other rows, times a map.
Box row_of(std::size_t count, Device& device, Precision precision) {
    Box row;
    row.size = row.extents = {count, 1, 1};
    row.factors = device.zeros(count + 2, {true, precision});
    device.upload(ComplexVector::Ones(static_cast<Eigen::Index>(count + 2)), row.factors);
    return row;
}

} // namespace

Eigen::VectorXd compute_misfits(Transforms& transforms, PiecewiseTransform& transform,
                                const Sampling& sampling, const CoilRows& samples, CoilMaps& maps,
                                const std::vector<ComplexVector>& images, Listener listener) {
    Device& device = transforms.device();
    double largest = 0; // floats end at 1e38
    for (const ComplexVector& image : images) {
        largest = std::max(largest, image.cwiseAbs().maxCoeff());
    }
    const double scale = largest > 0 ? largest : 1;
    Eigen::VectorXd misfits = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(samples.columns()));
    transform.forward(
        samples.rows(),
        [&](const Range& coils, const Range& at, Array& to) {
            const Box row = row_of(at.count, device, to.element().precision);
            Array image = device.zeros(at.count, to.element());
            for (std::size_t c = 0; c < coils.count; ++c) {
                const std::size_t coil = coils.first + c;
                if (c == 0 || !maps.given()) {
                    const ComplexVector& values = images[maps.given() ? 0 : coil];
                    device.upload(values.segment(static_cast<Eigen::Index>(at.first),
                                                 static_cast<Eigen::Index>(at.count)) /
                                      scale,
                                  image);
                }
                device.pad(row, maps.given() ? maps.part(coil, at) : Array(), image, c, to);
            }
        },
        [&](const Range& coils, const Range& at, const Array& from) {
            for (std::size_t c = 0; c < coils.count; ++c) { // one at a time in the host's memory
                const ComplexVector values = device.download(from, c * at.count, at.count);
                for (std::size_t i = 0; i < at.count; ++i) {
                    const auto m = static_cast<Eigen::Index>(at.first + i);
                    const Complex phi = sampling.phi.size() > 0 ? sampling.phi(m) : Complex(1);
                    misfits(m) += sampling.weight(at.first + i) *
                                  std::norm(phi * scale * values(static_cast<Eigen::Index>(i)) -
                                            samples(coils.first + c, m));
                }
            }
        },
        [&](double fraction) { listener.progress(fraction); });
    return misfits;
}

double energy_of(const Sampling& sampling, const CoilRows& samples) {
    std::vector<double> of_coils(samples.rows());
    samples.visit([&](const auto& rows) {
        for_each_in_parallel(of_coils.size(), [&](std::size_t c) {
            const auto* const row = rows.data() + c * samples.columns();
            double sum = 0;
            for (std::size_t m = 0; m < samples.columns(); ++m) {
                sum += sampling.weight(m) * std::norm(Complex(row[m]));
            }
            of_coils[c] = sum;
        });
    });
    return std::accumulate(of_coils.begin(), of_coils.end(), 0.0);
}

namespace {

/// Some of many samples, and not every so many, which may lie alike in their readouts.
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
double energy_at_edge(const Sampling& sampling, const std::vector<std::size_t>& some,
                      const Eigen::MatrixXd& energies) {
    constexpr double share = 0.1;
    Vec3 reach{0, 0, 0};
    for (const std::size_t m : some) {
        for (std::size_t d = 0; d < 3; ++d) {
            reach[d] = std::max(reach[d], std::abs(sampling.trajectory[m][d]));
        }
    }
    std::vector<std::pair<double, double>> by_radius; // squared, of an ellipsoid, and the energy
    for (std::size_t i = 0; i < some.size(); ++i) {
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double k = reach[d] > 0 ? sampling.trajectory[some[i]][d] / reach[d] : 0;
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

double most_energy_of_noise(const Sampling& sampling, const CoilRows& samples) {
    const std::vector<std::size_t> some = some_of(samples.columns());
    const Eigen::MatrixXd energies = energies_of(samples, some);
    return std::min(energy_at_edge(sampling, some, energies), energy_of_quietest(energies));
}

} // namespace lsrecon
