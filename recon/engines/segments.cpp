#include "engines/segments.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

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

/// exp(-z t), a row a time and a column a rate.
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

double largest_rate(const OffResonance& off) {
    double largest = 0;
    for (std::size_t n = 0; n < static_cast<std::size_t>(off.field.size()); ++n) {
        largest = std::max(largest, std::abs(off.rate(n)));
    }
    return largest;
}

/// How many of the singular values whose squares these are, in rising order, leave less than this.
Eigen::Index rank_for(const RealVector& squares, double wanted) {
    const double all = squares.sum();
    double left = 0;
    Eigen::Index rank = squares.size();
    while (rank > 0 &&
           left + std::max(0.0, squares(squares.size() - rank)) <= wanted * wanted * all) {
        left += std::max(0.0, squares(squares.size() - rank));
        --rank;
    }
    return rank;
}

/// Factors over time and over rates, at nodes of time: exp(-z t) ~ sum_l b_l(t) c_l(z) with
/// c(z) = `of_rates` times exp(-z nodes).
struct Factors {
    Eigen::MatrixXcd of_times; ///< T x L
    Eigen::MatrixXcd of_rates; ///< L x T
};

/// The singular value decomposition of exp(-z t), weighted by the histogram of rates and the
/// distribution of times.
Factors factors(const TimeNodes& nodes, const RealVector& times, const Histogram& histogram,
                double wanted) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of_times(nodes.gram(times));
    const Eigen::MatrixXd root = of_times.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                                 of_times.eigenvectors().transpose();
    const Eigen::MatrixXcd e = exponentials(nodes.nodes(), histogram.rates);
    const Eigen::MatrixXcd spread = e * histogram.weights.asDiagonal() * e.adjoint();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(root * spread * root.transpose());
    const RealVector& squares = solver.eigenvalues();
    // Of squares: singular values below 3e-8 of the largest are rounding.
    constexpr double rounding = 1e-15;
    const Eigen::Index resolved = (squares.array() > rounding * squares.maxCoeff()).count();
    const Eigen::Index count =
        std::min(resolved, rank_for(squares, wanted) + 1); // one to spare: images differ
    const Eigen::MatrixXcd u = solver.eigenvectors().rightCols(count);
    const RealVector inverse = squares.tail(count).cwiseInverse();
    return {spread * root.transpose() * u * inverse.asDiagonal(), u.adjoint() * root};
}

/// Some of 0..count-1, the same every time.
std::vector<std::size_t> some_of(std::size_t count) {
    constexpr std::size_t enough = 256;
    std::mt19937_64 random(1);
    std::vector<std::size_t> chosen(std::min(count, enough));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        chosen[i] = count <= enough ? i : random() % count;
    }
    return chosen;
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
    const Factors of_nodes = factors(nodes, times, histogram_of(off), wanted);
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
    double wrong = 0;
    double all = 0;
    const std::vector<std::size_t> samples = some_of(static_cast<std::size_t>(times.size()));
    for (const std::size_t n : some_of(voxels)) {
        for (const std::size_t m : samples) {
            const Complex exact = std::exp(-off.rate(n) * times(static_cast<Eigen::Index>(m)));
            const Complex sum = of_samples.col(static_cast<Eigen::Index>(m))
                                    .conjugate()
                                    .dot(of_voxels.col(static_cast<Eigen::Index>(n)));
            wrong += std::norm(sum - exact);
            all += std::norm(exact);
        }
    }
    const auto rows = [&](const Eigen::MatrixXcd& values) {
        return precision == Precision::float32
                   ? CoilRows(CoilRows::Floats(values.cast<std::complex<float>>()))
                   : CoilRows(CoilMatrix(values));
    };
    return {rows(of_samples), rows(of_voxels), std::sqrt(wrong / all)};
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

TimeTerms time_terms(const RealVector& times, const OffResonance& off, double wanted) {
    double largest = 0;
    for (const Complex& rate : rates_of_pairs(off, 2)) {
        largest = std::max(largest, std::abs(rate));
    }
    const TimeNodes nodes(times, largest);
    const std::size_t count = nodes.nodes().size();
    const std::vector<Complex> pairs = rates_of_pairs(off, 2 * count);
    // A column a node: real weights add those of some nodes up to that of any.
    const Eigen::MatrixXd columns = stacked(exponentials(nodes.nodes(), pairs).transpose());
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
    const std::vector<std::size_t> some = some_of(voxels);
    const std::vector<std::size_t> samples = some_of(static_cast<std::size_t>(times.size()));
    double wrong = 0;
    double sum_of_squares = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
        const Complex rate =
            std::conj(off.rate(some[i])) + off.rate(some[(7 * i + 3) % some.size()]);
        for (const std::size_t m : samples) {
            const auto at = static_cast<Eigen::Index>(m);
            Complex sum = -std::exp(-rate * times(at));
            sum_of_squares += std::norm(sum);
            for (Eigen::Index l = 0; l < terms; ++l) {
                sum += result.weights(l, at) *
                       std::exp(-rate * result.times[static_cast<std::size_t>(l)]);
            }
            wrong += std::norm(sum);
        }
    }
    result.error = std::sqrt(wrong / sum_of_squares);
    return result;
}

} // namespace lsrecon
