// Holds F^H d and Q against exact sums at random points.

#include "encoding/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "engines/exact_sums.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t most_points = 64;

/// The number of points whose exact sums take some 10 ms of two cores, or longer where the fewest
/// useful points need it. The number is the same on any machine, so that the same scan has the same
/// bound. It is small because each frame of many may have a trajectory of its own.
std::size_t points_to_sample(std::size_t coils, std::size_t samples) {
    constexpr double multiply_adds = 4e7;
    constexpr std::size_t most = most_points;
    return std::min(most, voxels_of_exact_sums(multiply_adds, coils, samples));
}

/// Random indices with repetitions, the same on every platform and in every run.
std::vector<std::size_t> random_indices(std::size_t count, std::size_t below) {
    std::mt19937_64 generator(1);
    std::vector<std::size_t> indices(count);
    for (std::size_t& index : indices) {
        index = static_cast<std::size_t>(generator() % below);
    }
    return indices;
}

/// Random indices drawn in proportion to `shares`, which are not negative and not all 0.
std::vector<std::size_t> random_indices(std::size_t count, const RealVector& shares) {
    std::vector<double> sums(static_cast<std::size_t>(shares.size()));
    std::partial_sum(shares.begin(), shares.end(), sums.begin());
    std::mt19937_64 generator(1);
    std::vector<std::size_t> indices(count);
    for (std::size_t& index : indices) {
        const double below_one = std::ldexp(static_cast<double>(generator() >> 11), -53);
        const auto above = std::upper_bound(sums.begin(), sums.end(), below_one * sums.back());
        index = static_cast<std::size_t>(above - sums.begin());
    }
    return indices;
}

/// Below which chi-squared is with a probability of 0.5 %, by Wilson and Hilferty 1931: with few
/// squares, whose variance is not well known, a bound from there is exceeded in 2.5 % (maths.md).
double low_chi_squared(double degrees) {
    constexpr double normal = 2.575829;
    const double ninth = 2 / (9 * degrees);
    return degrees * std::pow(std::max(0.0, 1 - ninth - normal * std::sqrt(ninth)), 3);
}

} // namespace

ErrorEstimate error_estimate(const std::vector<double>& squares, double all, double norm) {
    const auto count = static_cast<double>(squares.size());
    double mean = 0;
    for (const double square : squares) {
        mean += square / count;
    }
    double variance = 0;
    for (const double square : squares) {
        variance += (square - mean) * (square - mean) / (count - 1);
    }
    if (mean == 0) {
        return {};
    }
    const double most_degrees = 2 * count; // real and imaginary parts
    const double degrees = std::min(most_degrees, 2 * count * mean * mean / variance);
    const double estimate = std::sqrt(all * mean) / norm;
    return {estimate, estimate * std::sqrt(degrees / low_chi_squared(degrees))};
}

double seconds_to_certify(const MachineModel& machine, std::size_t coils, std::size_t samples) {
    return machine.exact_sum *
           static_cast<double>(points_to_sample(coils, samples) * coils * samples);
}

DrawnVoxels draw_voxels(const CoilRows& coil_maps, std::size_t voxels) {
    const auto all = static_cast<double>(coil_maps.empty() ? voxels : coil_maps.columns()); // S N
    const RealVector squares = coil_maps.empty() ? RealVector() : squares_of(coil_maps);
    const double sum = squares.sum();
    if (!std::isnormal(sum)) { // no maps, or none that differ between voxels
        return {random_indices(most_points, voxels), std::vector<double>(most_points, 1), all};
    }
    const double root = sum / squares.stableNorm();
    DrawnVoxels drawn{random_indices(most_points, squares), {}, root * root};
    for (const std::size_t n : drawn.at) {
        drawn.weights.push_back(sum / (all * squares(static_cast<Eigen::Index>(n))));
    }
    return drawn;
}

Certificate certify_fhd(const Trajectory& trajectory, const CoilRows& samples,
                        const CoilRows& coil_maps, const Voxels& voxels, const DrawnVoxels& drawn,
                        const std::vector<Volume>& fhd) {
    const std::size_t count = points_to_sample(samples.rows(), samples.columns());
    const std::vector<std::size_t> at(drawn.at.begin(),
                                      drawn.at.begin() + static_cast<long>(count));
    std::vector<std::size_t> in_volume = at;
    for (std::size_t& n : in_volume) {
        n %= voxels.count();
    }
    const bool has_phi = trajectory.phi.size() > 0;
    const CoilMatrix of_coils = exact_adjoint(
        trajectory.points(), samples.rows(),
        [&](std::size_t c, std::size_t m) {
            const Complex mu = trajectory.weight(m) * samples(c, m);
            return has_phi ? std::conj(trajectory.phi(static_cast<Eigen::Index>(m))) * mu : mu;
        },
        voxels.subset(in_volume));
    std::vector<double> squares(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const auto column = of_coils.col(static_cast<Eigen::Index>(i));
        for (std::size_t problem = 0; problem < fhd.size(); ++problem) {
            Complex exact = column(static_cast<Eigen::Index>(problem));
            for (std::size_t c = 0; c < coil_maps.rows(); ++c) {
                exact = (c == 0 ? 0 : exact) +
                        std::conj(coil_maps(c, at[i])) * column(static_cast<Eigen::Index>(c));
            }
            squares[i] += drawn.weights[i] * std::norm(fhd[problem].value(at[i]) - exact);
        }
    }
    double norm = 0;
    for (const Volume& volume : fhd) {
        norm = std::hypot(norm, volume.norm());
    }
    Certificate errors;
    errors.fhd = error_estimate(squares, static_cast<double>(fhd.front().count()), norm);
    errors.voxels = static_cast<double>(count);
    return errors;
}

namespace {

/// Adds the sampled errors of Q, measured at random differences of two voxels.
void certify_q(const Trajectory& trajectory, const Q& q, Certificate& errors) {
    const Voxels differences = Voxels::half_differences(q.grid);
    const std::size_t count = points_to_sample(1, trajectory.samples());
    const std::vector<std::size_t> at = random_indices(count, differences.count());
    const CoilMatrix exact = exact_adjoint(
        trajectory.positions, 1,
        [&](std::size_t, std::size_t m) { return Complex(trajectory.q_weight(m)); },
        differences.subset(at));
    std::vector<double> squares;
    for (std::size_t i = 0; i < count; ++i) {
        squares.push_back(std::norm(q.half.value(at[i]) - exact(0, static_cast<Eigen::Index>(i))));
    }
    const double norm = q.half.norm();
    errors.gram = error_estimate(squares, static_cast<double>(differences.count()), norm);
    errors.spread = norm / (q.at_zero() * std::sqrt(std::ldexp(0.5, q.grid.dimensions)));
}

} // namespace

// N is wrong by as much of itself as Q, or by numbers without order in all differences: then N rho
// of as much of Q(0) rho times the spread. Neither is known, and the sum of both is above each.
Certifier::Certifier(const Encoding& encoding, const NormalOperator& n, const DrawnVoxels& drawn)
    : encoding_(encoding), drawn_(drawn), by_q_(n.q() != nullptr) {
    if (by_q_) {
        certify_q(encoding.trajectory(), *n.q(), of_q_);
    }
}

Certificate Certifier::of(const CoilRows& samples, const std::vector<Volume>& fhd) const {
    Certificate errors = certify_fhd(encoding_.trajectory(), samples, encoding_.images().coil_maps,
                                     encoding_.formulation().voxels, drawn_, fhd);
    errors.gram = by_q_ ? of_q_.gram : errors.fhd;
    errors.spread = by_q_ ? of_q_.spread : 1;
    return errors;
}

std::size_t Certifier::unknowns() const {
    return static_cast<std::size_t>(std::ceil(drawn_.unknowns));
}

ErrorEstimate error_of_equations(const Certificate& errors, double gain) {
    const double of_gram = std::hypot(1, gain > 0 ? errors.spread / gain : 0);
    return {std::hypot(errors.fhd.estimate, of_gram * errors.gram.estimate),
            std::hypot(errors.fhd.upper, of_gram * errors.gram.upper)};
}

std::vector<Volume> with_errors(const std::vector<Volume>& fhd, double relative) {
    std::mt19937_64 generator(1);
    std::vector<Volume> result;
    for (const Volume& volume : fhd) {
        ComplexVector values = volume.values();
        const double size =
            relative * volume.norm() / std::sqrt(static_cast<double>(values.size()));
        for (Complex& value : values) {
            value += std::polar(size, std::ldexp(2 * pi * static_cast<double>(generator()), -64));
        }
        result.emplace_back(std::move(values));
    }
    return result;
}

} // namespace lsrecon
