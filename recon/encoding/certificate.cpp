// Holds F^H d and Q against exact sums at random points.

#include "encoding/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/parallel.hpp"
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

/// The first index of a range up to which `sum` and the shares add up to more than `most`; where
/// rounding leaves none, the last that adds to it.
std::size_t index_above(double most, double sum, const RealVector& shares, const Range& range) {
    std::size_t last = range.first;
    for (std::size_t n = range.first; n < range.first + range.count && sum <= most; ++n) {
        if (const double share = shares(static_cast<Eigen::Index>(n)); share > 0) {
            last = n;
            sum += share;
        }
    }
    return last;
}

/// Random indices drawn in proportion to `shares`, which are not negative and not all 0. Shares are
/// added a block after the other, on all cores.
std::vector<std::size_t> random_indices(std::size_t count, const RealVector& shares) {
    constexpr std::size_t of_block = 4096;
    const std::vector<Range> blocks =
        split_into_ranges(static_cast<std::size_t>(shares.size()), of_block);
    std::vector<double> before(blocks.size() + 1, 0); // the sum of all blocks before each
    for_each_in_parallel(blocks.size(), [&](std::size_t i) {
        const double* const first = shares.data() + blocks[i].first;
        before[i + 1] = std::accumulate(first, first + blocks[i].count, 0.0);
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    std::mt19937_64 generator(1);
    std::vector<std::size_t> indices(count);
    for (std::size_t& index : indices) {
        const double below_one = std::ldexp(static_cast<double>(generator() >> 11), -53);
        const double most = below_one * before.back();
        const auto above = std::upper_bound(before.begin(), before.end(), most);
        const auto block = static_cast<std::size_t>(above - before.begin()) - 1;
        index = index_above(most, before[block], shares, blocks[block]);
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

CoilMatrix exact_fhd(const Trajectory& trajectory, const CoilRows& samples, const Voxels& voxels,
                     const DrawnVoxels& drawn) {
    std::vector<std::size_t> at = drawn.at;
    at.resize(points_to_sample(samples.rows(), samples.columns()));
    for (std::size_t& n : at) {
        n %= voxels.count();
    }
    const bool has_phi = trajectory.phi.size() > 0;
    return exact_adjoint(
        trajectory.points(), samples.rows(),
        [&](std::size_t c, std::size_t m) {
            const Complex mu = trajectory.weight(m) * samples(c, m);
            return has_phi ? std::conj(trajectory.phi(static_cast<Eigen::Index>(m))) * mu : mu;
        },
        voxels.subset(at));
}

Certificate certify_fhd(const CoilMatrix& exact, const CoilRows& coil_maps,
                        const DrawnVoxels& drawn, const std::vector<Volume>& fhd) {
    const auto count = static_cast<std::size_t>(exact.cols());
    std::vector<double> squares(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const auto column = exact.col(static_cast<Eigen::Index>(i));
        for (std::size_t problem = 0; problem < fhd.size(); ++problem) {
            Complex value = column(static_cast<Eigen::Index>(problem));
            for (std::size_t c = 0; c < coil_maps.rows(); ++c) {
                value = (c == 0 ? 0 : value) +
                        std::conj(coil_maps(c, drawn.at[i])) * column(static_cast<Eigen::Index>(c));
            }
            squares[i] += drawn.weights[i] * std::norm(fhd[problem].value(drawn.at[i]) - value);
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

/// Random differences of two voxels, at which Q is sampled.
std::vector<std::size_t> drawn_differences(const Trajectory& trajectory, const Grid& grid) {
    return random_indices(points_to_sample(1, trajectory.samples()),
                          Voxels::half_differences(grid).count());
}

CoilMatrix exact_q(const Trajectory& trajectory, const Grid& grid) {
    return exact_adjoint(
        trajectory.positions, 1,
        [&](std::size_t, std::size_t m) { return Complex(trajectory.q_weight(m)); },
        Voxels::half_differences(grid).subset(drawn_differences(trajectory, grid)));
}

bool leaves_processors_idle(const Encoding& encoding) {
    return !encoding.transforms().device().in_host_memory();
}

/// The sampled errors of Q, by its exact values.
Certificate certify_q(const Trajectory& trajectory, const Q& q, const CoilMatrix& exact) {
    const std::vector<std::size_t> at = drawn_differences(trajectory, q.grid);
    std::vector<double> squares;
    for (std::size_t i = 0; i < at.size(); ++i) {
        squares.push_back(std::norm(q.half.value(at[i]) - exact(0, static_cast<Eigen::Index>(i))));
    }
    const auto differences = static_cast<double>(Voxels::half_differences(q.grid).count());
    const double norm = q.half.norm();
    Certificate errors;
    errors.gram = error_estimate(squares, differences, norm);
    errors.spread = norm / (q.at_zero() * std::sqrt(std::ldexp(0.5, q.grid.dimensions)));
    return errors;
}

} // namespace

// N is wrong by as much of itself as Q, or by numbers without order in all differences: then N rho
// of as much of Q(0) rho times the spread. Neither is known, and the sum of both is above each.
Certifier::Certifier(const Encoding& encoding, const NormalOperator& n, const DrawnVoxels& drawn)
    : encoding_(encoding), drawn_(drawn) {
    if (const Q* const q = n.q()) {
        const Trajectory& trajectory = encoding.trajectory();
        std::shared_future<CoilMatrix> exact =
            beside(leaves_processors_idle(encoding),
                   [&trajectory, grid = q->grid] { return exact_q(trajectory, grid); });
        of_q_ = std::async(std::launch::deferred, [&trajectory, q, exact = std::move(exact)] {
            return certify_q(trajectory, *q, exact.get());
        });
    }
}

std::future<CoilMatrix> Certifier::exact(const CoilRows& samples) const {
    return beside(leaves_processors_idle(encoding_), [this, &samples] {
        return exact_fhd(encoding_.trajectory(), samples, encoding_.formulation().voxels, drawn_);
    });
}

Certificate Certifier::of(const CoilMatrix& exact, const std::vector<Volume>& fhd) const {
    Certificate errors = certify_fhd(exact, encoding_.images().coil_maps, drawn_, fhd);
    errors.gram = of_q_.valid() ? of_q_.get().gram : errors.fhd;
    errors.spread = of_q_.valid() ? of_q_.get().spread : 1;
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
