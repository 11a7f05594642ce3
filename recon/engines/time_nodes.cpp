#include "engines/time_nodes.hpp"

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

} // namespace lsrecon
