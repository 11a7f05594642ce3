// Compares navigators of the two directions, and of several shots, as images along the readout.

#include "scan/navigators.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "scan/cartesian_lines.hpp"

// Means F and B of the navigators of each direction, as images at x: B(x) = F(x) exp(i (phase -
// 2 pi shift step x)). The least ||B - F exp(...)||^2 has the largest sum over x of the real part
// of P(x) exp(-i (...)), P = sum_c conj(F_c) B_c. With the residual's variance s^2 a value, the
// covariance is s^2 / 2 over the curvature of that sum.

namespace lsrecon {

namespace {

using Eigen::Index;
using Eigen::MatrixXcd;

constexpr Index profile_points = 128; ///< along x

/// Sums of the images of navigators of one shot and one direction, coils x points.
struct Images {
    MatrixXcd sum;
    double count = 0;
    MatrixXcd mean() const { return sum / count; }
};

double profile_x(Index point) {
    return (static_cast<double>(point) + 0.5) / static_cast<double>(profile_points) - 0.5;
}

double spacing(const std::vector<double>& k, std::size_t m) {
    const std::size_t before = m == 0 ? 0 : m - 1;
    const std::size_t after = std::min(m + 1, k.size() - 1);
    return std::abs(k[after] - k[before]) / static_cast<double>(after - before);
}

void add_line(const Line& line, const std::vector<Vec3>& positions, const CoilRows& samples,
              double& step, Images& images) {
    std::vector<double> k;
    for (std::size_t m = line.first; m < line.first + line.count; ++m) {
        k.push_back(positions[m][line.axis]);
    }
    MatrixXcd waves(static_cast<Index>(k.size()), profile_points);
    for (std::size_t m = 0; m < k.size(); ++m) {
        step = std::max(step, spacing(k, m));
        for (Index j = 0; j < profile_points; ++j) {
            waves(static_cast<Index>(m), j) =
                std::polar(spacing(k, m) / std::sqrt(static_cast<double>(profile_points)),
                           2 * pi * k[m] * profile_x(j));
        }
    }
    const MatrixXcd image = samples.visit([&](const auto& values) {
        return MatrixXcd(
            values.middleCols(static_cast<Index>(line.first), static_cast<Index>(line.count))
                .template cast<Complex>() *
            waves);
    });
    images.sum = images.count == 0 ? image : MatrixXcd(images.sum + image);
    ++images.count;
}

ComplexVector product_of(const MatrixXcd& a, const MatrixXcd& b) {
    return a.conjugate().cwiseProduct(b).colwise().sum().transpose();
}

/// exp(-i (phase - 2 pi shift step x)).
ComplexVector phase_factors(double phase, double shift, double step) {
    ComplexVector factors(profile_points);
    for (Index j = 0; j < profile_points; ++j) {
        factors(j) = std::polar(1.0, 2 * pi * shift * step * profile_x(j) - phase);
    }
    return factors;
}

/// The curvature of the sum of real parts by phase and shift.
Eigen::Matrix2d curvature_of(const ComplexVector& matched, double step) {
    Eigen::Matrix2d result = Eigen::Matrix2d::Zero();
    for (Index j = 0; j < profile_points; ++j) {
        const Eigen::Vector2d slope(1, -2 * pi * step * profile_x(j));
        result += matched(j).real() * slope * slope.transpose();
    }
    return result;
}

/// Phase and shift of the largest sum.
Eigen::Vector2d fitted(const ComplexVector& products, double step) {
    constexpr double largest = 5; // samples
    constexpr double apart = 0.1;
    constexpr int iterations = 5;
    Eigen::Vector2d best(0, 0);
    double most = 0;
    for (double shift = -largest; shift < largest + apart / 2; shift += apart) {
        const Complex sum = phase_factors(0, shift, step).cwiseProduct(products).sum();
        if (std::abs(sum) > most) {
            most = std::abs(sum);
            best = {std::arg(sum), shift};
        }
    }
    for (int i = 0; i < iterations; ++i) {
        const ComplexVector matched = phase_factors(best(0), best(1), step).cwiseProduct(products);
        Eigen::Vector2d slope(0, 0);
        for (Index j = 0; j < profile_points; ++j) {
            slope += matched(j).imag() * Eigen::Vector2d(1, -2 * pi * step * profile_x(j));
        }
        best += curvature_of(matched, step).inverse() * slope;
    }
    return best;
}

} // namespace

std::optional<LinePhases> phases_of_navigators(const std::vector<Vec3>& positions,
                                               const CoilRows& samples,
                                               const FrameReadouts& navigators,
                                               const std::vector<std::uint16_t>& segments) {
    std::map<std::uint16_t, std::array<Images, 2>> of_shots;
    double step = 0;
    for (const Line& line : readouts_as_lines(positions, navigators, false)) {
        add_line(line, positions, samples, step, of_shots[line.segment][line.step < 0 ? 1 : 0]);
    }
    ComplexVector products = ComplexVector::Zero(profile_points);
    double count = 0;
    for (const auto& [segment, images] : of_shots) {
        if (images[0].count > 0 && images[1].count > 0) {
            products += product_of(images[0].mean(), images[1].mean());
            ++count;
        }
    }
    if (count == 0 || products.isZero(0)) {
        return std::nullopt;
    }
    const Eigen::Vector2d found = fitted(products, step);
    const ComplexVector factors = phase_factors(found(0), found(1), step);
    double left = 0;
    double before = 0;
    double all = 0;
    for (const auto& [segment, images] : of_shots) {
        if (images[0].count > 0 && images[1].count > 0) {
            const MatrixXcd backward = images[1].mean();
            left += (backward * factors.asDiagonal() - images[0].mean()).squaredNorm();
            before += (backward - images[0].mean()).squaredNorm();
            all += backward.squaredNorm();
        }
    }
    const double variance = left / (count * static_cast<double>(samples.rows()) * profile_points);
    LinePhases phases;
    const bool of_each = std::all_of(segments.begin(), segments.end(), [&](std::uint16_t segment) {
        return of_shots.count(segment) > 0 && of_shots.at(segment)[0].count > 0;
    });
    const Index shots = of_each ? static_cast<Index>(segments.size()) : 1;
    phases.values = RealVector::Zero(1 + shots);
    phases.values.head(2) = found;
    phases.values(0) = std::remainder(found(0), 2 * pi);
    phases.covariance = Eigen::MatrixXd::Zero(1 + shots, 1 + shots);
    const ComplexVector matched = factors.cwiseProduct(products);
    phases.covariance.topLeftCorner(2, 2) = variance / 2 * curvature_of(matched, step).inverse();
    for (Index shot = 1; shot < shots; ++shot) {
        const Complex sum =
            product_of(of_shots.at(segments.front())[0].mean(),
                       of_shots.at(segments[static_cast<std::size_t>(shot)])[0].mean())
                .sum();
        phases.values(1 + shot) = std::arg(sum);
        phases.covariance(1 + shot, 1 + shot) = variance / 2 / std::abs(sum);
    }
    phases.left = left / all;
    phases.left_before = before / all;
    return phases;
}

} // namespace lsrecon
