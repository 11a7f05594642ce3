#include "engines/segments.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "engines/time_nodes.hpp"

namespace lsrecon {

namespace {

/// Of equal width between the smallest and the largest of some values.
class Bins {
public:
    Bins(const RealVector& values, double count)
        : first_(values.size() > 0 ? values.minCoeff() : 0),
          width_(values.size() > 0 ? (values.maxCoeff() - first_) / count : 0), count_(count) {}
    long of(double value) const {
        return width_ > 0 ? static_cast<long>(std::min(count_ - 1, (value - first_) / width_)) : 0;
    }

private:
    double first_;
    double width_;
    double count_;
};

/// Rates z of the voxels, and how much each counts.
struct Histogram {
    std::vector<Complex> rates;
    RealVector weights;
};

/// A bin counts half by its voxels and half as every other: most voxels of a field map may lie
/// outside the object.
Histogram histogram_of(const OffResonance& off) {
    const Bins of_field(off.field, 512);
    const Bins of_decay(off.r2star, 16);
    struct Bin {
        Complex sum = 0;
        double count = 0;
    };
    std::map<std::pair<long, long>, Bin> bins;
    for (std::size_t n = 0; n < static_cast<std::size_t>(off.field.size()); ++n) {
        const Complex rate = off.rate(n);
        Bin& bin = bins[{of_field.of(rate.imag() / (2 * pi)), of_decay.of(rate.real())}];
        bin.sum += rate;
        bin.count += 1;
    }
    Histogram result;
    result.weights.resize(static_cast<Eigen::Index>(bins.size()));
    for (const auto& [place, bin] : bins) {
        result.weights(static_cast<Eigen::Index>(result.rates.size())) =
            0.5 * bin.count / static_cast<double>(off.field.size()) +
            0.5 / static_cast<double>(bins.size());
        result.rates.push_back(bin.sum / bin.count);
    }
    return result;
}

double largest_rate(const OffResonance& off) {
    double largest = 0;
    for (std::size_t n = 0; n < static_cast<std::size_t>(off.field.size()); ++n) {
        largest = std::max(largest, std::abs(off.rate(n)));
    }
    return largest;
}

/// Factors over time and over rates, at nodes of time: exp(-z t) ~ sum_l b_l(t) c_l(z) with
/// c(z) = `of_rates` times exp(-z nodes).
struct Factors {
    Eigen::MatrixXcd of_times; ///< T x L
    Eigen::MatrixXcd of_rates; ///< L x T
};

/// The singular value decomposition of exp(-z t), weighted by the histogram of rates and the
/// distribution of times.
class Decomposition {
public:
    Decomposition(const TimeNodes& nodes, const RealVector& times, const Histogram& histogram) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of_times(nodes.gram(times));
        root_ = of_times.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                of_times.eigenvectors().transpose();
        const Eigen::MatrixXcd e = exponentials(nodes.nodes(), histogram.rates);
        spread_ = e * histogram.weights.asDiagonal() * e.adjoint();
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(root_ * spread_ *
                                                                     root_.transpose());
        squares_ = solver.eigenvalues();
        u_ = solver.eigenvectors();
    }

    /// Singular values below 3e-8 of the largest are rounding; this is of squares.
    Eigen::Index resolved() const {
        constexpr double rounding = 1e-15;
        return (squares_.array() > rounding * squares_.maxCoeff()).count();
    }
    /// How many of them leave less than this, relative.
    Eigen::Index rank_for(double wanted) const {
        const double most = wanted * wanted * squares_.sum();
        double left = 0;
        Eigen::Index smaller = 0;
        while (smaller < squares_.size() && left + std::max(0.0, squares_(smaller)) <= most) {
            left += std::max(0.0, squares_(smaller));
            ++smaller;
        }
        return squares_.size() - smaller;
    }
    Factors factors(Eigen::Index count) const {
        const Eigen::MatrixXcd u = u_.rightCols(count);
        const RealVector inverse = squares_.tail(count).cwiseInverse();
        return {spread_ * root_.transpose() * u * inverse.asDiagonal(), u.adjoint() * root_};
    }

private:
    Eigen::MatrixXd root_; ///< of the inner product of times
    Eigen::MatrixXcd spread_;
    RealVector squares_; ///< of the singular values, rising
    Eigen::MatrixXcd u_;
};

/// Relative L2 of what factors add up to, at some voxels and samples.
double error_of(const Factors& factors, const TimeNodes& nodes, const RealVector& times,
                const OffResonance& off) {
    std::vector<double> at;
    for (const std::size_t m : some_indices(static_cast<std::size_t>(times.size()))) {
        at.push_back(times(static_cast<Eigen::Index>(m)));
    }
    std::vector<Complex> rates;
    for (const std::size_t n : some_indices(static_cast<std::size_t>(off.field.size()))) {
        rates.push_back(off.rate(n));
    }
    const Eigen::MatrixXcd exact = exponentials(at, rates);
    const Eigen::MatrixXcd of_times =
        nodes.interpolated(factors.of_times, Eigen::Map<const RealVector>(at.data(), exact.rows()));
    const Eigen::MatrixXcd of_rates = factors.of_rates * exponentials(nodes.nodes(), rates);
    return (of_times.transpose() * of_rates - exact).norm() / exact.norm();
}

/// One segment more than the smallest number of this error, because images differ, and more where
/// rounding or the histogram asks for them. The error is what error_of says.
std::pair<Factors, double> enough_factors(const TimeNodes& nodes, const RealVector& times,
                                          const OffResonance& off, double wanted) {
    const Decomposition decomposition(nodes, times, histogram_of(off));
    const Eigen::Index most = decomposition.resolved();
    for (Eigen::Index count = std::min(most, decomposition.rank_for(wanted) + 1);; ++count) {
        Factors factors = decomposition.factors(count);
        const double error = error_of(factors, nodes, times, off);
        if (error <= wanted) {
            return {std::move(factors), error};
        }
        if (count == most) {
            throw ToleranceError(text("off-resonance: ", count, " time segments have an error of ",
                                      error, ", above --segment-error ", wanted,
                                      "\n  next:     pass --kernel tuned, which needs none, or a "
                                      "larger --segment-error"));
        }
    }
}

} // namespace

ComplexVector phases_at(const OffResonance& off, double time) {
    return ComplexVector::NullaryExpr(off.field.size(), [&](Eigen::Index n) {
        return std::exp(-off.rate(static_cast<std::size_t>(n)) * time);
    });
}

double expected_segments(const RealVector& times, const OffResonance& off) {
    constexpr double some = 16; // for the smallest errors
    return some + largest_rate(off) / pi * (times.maxCoeff() - times.minCoeff());
}

TimeSegments time_segments(const RealVector& times, const OffResonance& off, double wanted,
                           Precision precision) {
    const TimeNodes nodes(times, largest_rate(off));
    const auto found = enough_factors(nodes, times, off, wanted);
    const Factors& of_nodes = found.first;
    const Eigen::MatrixXcd of_samples = nodes.interpolated(of_nodes.of_times, times);
    Eigen::MatrixXcd of_voxels(of_samples.rows(), off.field.size());
    constexpr std::size_t at_a_time = 1024;
    const auto voxels = static_cast<std::size_t>(off.field.size());
    const std::vector<Range> parts = split_into_ranges(voxels, at_a_time);
    for_each_in_parallel(parts.size(), [&](std::size_t i) {
        std::vector<Complex> rates;
        for (std::size_t n = parts[i].first; n < parts[i].first + parts[i].count; ++n) {
            rates.push_back(off.rate(n));
        }
        of_voxels.middleCols(static_cast<Eigen::Index>(parts[i].first),
                             static_cast<Eigen::Index>(parts[i].count)) =
            of_nodes.of_rates * exponentials(nodes.nodes(), rates);
    });
    const auto rows = [&](const Eigen::MatrixXcd& values) {
        return precision == Precision::float32
                   ? CoilRows(CoilRows::Floats(values.cast<std::complex<float>>()))
                   : CoilRows(CoilMatrix(values));
    };
    return {rows(of_samples), rows(of_voxels), found.second};
}

} // namespace lsrecon
