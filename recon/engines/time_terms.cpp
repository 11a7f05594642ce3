// Interpolates over time at Chebyshev nodes, and fits the few terms of the normal operator off
// resonance by QR.

#include "engines/time_terms.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr double most_nodes = 2000;

std::vector<double> distinct(const RealVector& times) {
    std::vector<double> result(times.data(), times.data() + times.size());
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace

TimeNodes::TimeNodes(const RealVector& times, double largest_rate)
    : middle_((times.minCoeff() + times.maxCoeff()) / 2),
      half_((times.maxCoeff() - times.minCoeff()) / 2) {
    // Chebyshev coefficients of exp(i a x) fall faster than exponentially beyond degree a.
    const double a = largest_rate * half_;
    const double wanted = half_ > 0 ? std::ceil(a + 10 * std::cbrt(a) + 16) : 1;
    if (!(wanted <= most_nodes)) {
        throw DeviceError(text("off-resonance makes ", a / pi,
                               " turns during the readout, too many to divide into time segments\n"
                               "  next:     check the units of the field map and the times, or "
                               "pass `kernel` tuned, which needs no time segments"));
    }
    const auto count = static_cast<std::size_t>(wanted);
    for (std::size_t i = 0; i < count; ++i) {
        const double angle = (2 * static_cast<double>(i) + 1) * pi / (2 * wanted);
        nodes_.push_back(middle_ + half_ * std::cos(angle));
        barycentric_.push_back((i % 2 == 0 ? 1 : -1) * std::sin(angle));
    }
}

Eigen::MatrixXd TimeNodes::weights(const RealVector& times) const {
    const auto count = static_cast<Eigen::Index>(nodes_.size());
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(times.size(), count);
    for (Eigen::Index m = 0; m < times.size(); ++m) {
        double sum = 0;
        Eigen::Index at_node = -1;
        for (Eigen::Index i = 0; i < count && at_node < 0; ++i) {
            const double distance = times(m) - nodes_[static_cast<std::size_t>(i)];
            if (std::abs(distance) <= 1e-14 * half_) {
                at_node = i;
            } else {
                result(m, i) = barycentric_[static_cast<std::size_t>(i)] / distance;
                sum += result(m, i);
            }
        }
        if (at_node >= 0) {
            result.row(m).setZero();
            result(m, at_node) = 1;
        } else {
            result.row(m) /= sum;
        }
    }
    return result;
}

Eigen::MatrixXcd TimeNodes::interpolated(const Eigen::MatrixXcd& values_at_nodes,
                                         const RealVector& times) const {
    const std::vector<double> known = distinct(times);
    constexpr std::size_t at_a_time = 1024;
    Eigen::MatrixXcd of_known(values_at_nodes.cols(), static_cast<Eigen::Index>(known.size()));
    for (std::size_t first = 0; first < known.size(); first += at_a_time) {
        const auto count = static_cast<Eigen::Index>(std::min(at_a_time, known.size() - first));
        const RealVector some = Eigen::Map<const RealVector>(known.data() + first, count);
        of_known.middleCols(static_cast<Eigen::Index>(first), count) =
            (weights(some) * values_at_nodes).transpose();
    }
    Eigen::MatrixXcd result(values_at_nodes.cols(), times.size());
    for (Eigen::Index m = 0; m < times.size(); ++m) {
        const auto found = std::lower_bound(known.begin(), known.end(), times(m));
        result.col(m) = of_known.col(found - known.begin());
    }
    return result;
}

Eigen::MatrixXd TimeNodes::gram(const RealVector& times) const {
    // Every n-th sample would be at the same few times of all readouts.
    constexpr std::size_t enough = 4096;
    std::vector<double> sorted(times.data(), times.data() + times.size());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t count = std::min(sorted.size(), enough);
    const RealVector some =
        RealVector::NullaryExpr(static_cast<Eigen::Index>(count), [&](Eigen::Index i) {
            return sorted[static_cast<std::size_t>(i) * sorted.size() / count];
        });
    const Eigen::MatrixXd rows = weights(some);
    return rows.transpose() * rows / static_cast<double>(count);
}

Eigen::MatrixXcd exponentials(const std::vector<double>& times, const std::vector<Complex>& rates) {
    Eigen::MatrixXcd result(static_cast<Eigen::Index>(times.size()),
                            static_cast<Eigen::Index>(rates.size()));
    for (std::size_t j = 0; j < rates.size(); ++j) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                std::exp(-rates[j] * times[i]);
        }
    }
    return result;
}

std::vector<std::size_t> some_indices(std::size_t count) {
    constexpr std::size_t enough = 256;
    std::mt19937_64 random(1);
    std::vector<std::size_t> chosen(std::min(count, enough));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        chosen[i] = count <= enough ? i : random() % count;
    }
    return chosen;
}

namespace {

/// Rates conj(z) + z' of pairs of voxels, evenly over all that the ranges of field and decay allow;
/// negative differences are the conjugates, which real weights fit as well.
std::vector<Complex> rates_of_pairs(const OffResonance& off, std::size_t fields) {
    const double widest = off.field.maxCoeff() - off.field.minCoeff();
    const bool decays = off.r2star.size() > 0;
    const double slowest = decays ? 2 * off.r2star.minCoeff() : 0;
    const double fastest = decays ? 2 * off.r2star.maxCoeff() : 0;
    const std::size_t decay_rates = fastest > slowest ? 9 : 1;
    std::vector<Complex> rates;
    for (std::size_t j = 0; j < decay_rates; ++j) {
        const double share =
            decay_rates > 1 ? static_cast<double>(j) / static_cast<double>(decay_rates - 1) : 0;
        for (std::size_t i = 0; i < fields; ++i) {
            rates.emplace_back(slowest + share * (fastest - slowest),
                               2 * pi * widest * static_cast<double>(i) /
                                   static_cast<double>(std::max<std::size_t>(fields - 1, 1)));
        }
    }
    return rates;
}

/// Real and imaginary parts below each other.
Eigen::MatrixXd stacked(const Eigen::MatrixXcd& values) {
    Eigen::MatrixXd result(2 * values.rows(), values.cols());
    result << values.real(), values.imag();
    return result;
}

} // namespace

std::size_t expected_time_terms(const RealVector& times, const OffResonance& off) {
    constexpr double of_decay = 0.4; // what has no turns needs fewer
    const double seconds = times.maxCoeff() - times.minCoeff();
    const double decay =
        off.r2star.size() > 0 ? 2 * (off.r2star.maxCoeff() - off.r2star.minCoeff()) / (2 * pi) : 0;
    const double turns = seconds * (off.field.maxCoeff() - off.field.minCoeff() + of_decay * decay);
    constexpr double some = 6;
    return turns > 0
               ? static_cast<std::size_t>(std::ceil(some + 2 * turns + 3 * std::log1p(2 * turns)))
               : 1;
}

TimeTerms time_terms(const RealVector& times, const OffResonance& off, double wanted) {
    double largest = 0;
    for (const Complex& rate : rates_of_pairs(off, 2)) {
        largest = std::max(largest, std::abs(rate));
    }
    const TimeNodes nodes(times, largest);
    const std::size_t count = nodes.nodes().size();
    const std::vector<Complex> pairs = rates_of_pairs(off, 2 * count);
    // A row a pair, relative to its largest value: decay before t = 0 is growth, and one pair that
    // grows would hide the errors of all others.
    Eigen::MatrixXcd rows = exponentials(nodes.nodes(), pairs).transpose();
    rows.array().colwise() /= rows.cwiseAbs().rowwise().maxCoeff().array().cast<Complex>();
    // A column a node: real weights add those of some nodes up to that of any.
    const Eigen::MatrixXd columns = stacked(rows);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
    const auto all = static_cast<Eigen::Index>(count);
    const Eigen::MatrixXd r =
        qr.matrixR().topRows(std::min(columns.rows(), all)).triangularView<Eigen::Upper>();
    Eigen::Index terms = 1;
    while (terms < all &&
           r.bottomRightCorner(r.rows() - terms, all - terms).norm() > wanted * r.norm()) {
        ++terms;
    }
    Eigen::MatrixXd of_nodes = Eigen::MatrixXd::Identity(terms, all);
    of_nodes.rightCols(all - terms) = r.topLeftCorner(terms, terms)
                                          .triangularView<Eigen::Upper>()
                                          .solve(r.topRightCorner(terms, all - terms));
    const Eigen::MatrixXd in_order = of_nodes * qr.colsPermutation().transpose();

    TimeTerms result;
    for (Eigen::Index l = 0; l < terms; ++l) {
        result.times.push_back(
            nodes.nodes()[static_cast<std::size_t>(qr.colsPermutation().indices()(l))]);
    }
    result.weights = nodes.interpolated(in_order.transpose().cast<Complex>(), times).real();
    const auto voxels = static_cast<std::size_t>(off.field.size());
    const std::vector<std::size_t> some = some_indices(voxels);
    const std::vector<std::size_t> samples = some_indices(static_cast<std::size_t>(times.size()));
    double squares = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
        const Complex rate =
            std::conj(off.rate(some[i])) + off.rate(some[(7 * i + 3) % some.size()]);
        double wrong = 0;
        double right = 0;
        for (const std::size_t m : samples) {
            const auto at = static_cast<Eigen::Index>(m);
            Complex sum = -std::exp(-rate * times(at));
            right += std::norm(sum);
            for (Eigen::Index l = 0; l < terms; ++l) {
                sum += result.weights(l, at) *
                       std::exp(-rate * result.times[static_cast<std::size_t>(l)]);
            }
            wrong += std::norm(sum);
        }
        squares += wrong / right;
    }
    result.error = std::sqrt(squares / static_cast<double>(some.size()));
    return result;
}

} // namespace lsrecon
