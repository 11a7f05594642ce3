// Finds the factors of time segments by a singular value decomposition over a histogram of field
// and decay, and applies a transform to each segment.

#include "engines/segments.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "base/tolerance.hpp"
#include "engines/time_terms.hpp"

namespace lsrecon {

namespace {

/// Bins of equal width between the smallest and the largest of some values.
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

/// A bin counts half by its voxels and half by its rate: most voxels of a field map may lie
/// outside the object. Rates count as Chebyshev nodes are dense, because errors grow towards both
/// ends.
Histogram histogram_of(const OffResonance& off) {
    constexpr double fields = 512;
    const Bins of_field(off.field, fields);
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
    RealVector by_voxels(static_cast<Eigen::Index>(bins.size()));
    RealVector by_rate(by_voxels.size());
    for (const auto& [key, bin] : bins) {
        const auto b = static_cast<Eigen::Index>(result.rates.size());
        const double from_middle = (2 * static_cast<double>(key.first) + 1) / fields - 1;
        by_voxels(b) = bin.count;
        by_rate(b) = 1 / std::sqrt(1 - from_middle * from_middle);
        result.rates.push_back(bin.sum / bin.count);
    }
    result.weights = (by_voxels / by_voxels.sum() + by_rate / by_rate.sum()) / 2;
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

/// The singular value decomposition of exp(-z t), weighted by the histogram of rates and by the
/// distribution of times, with a share for that of the nodes.
class Decomposition {
public:
    Decomposition(const TimeNodes& nodes, const RealVector& times, const Histogram& histogram,
                  double share_of_nodes) {
        const auto count = static_cast<Eigen::Index>(nodes.nodes().size());
        const Eigen::MatrixXd of_nodes =
            Eigen::MatrixXd::Identity(count, count) / static_cast<double>(count);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of_times(
            (1 - share_of_nodes) * nodes.gram(times) + share_of_nodes * of_nodes);
        root_ = of_times.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                of_times.eigenvectors().transpose();
        const Eigen::MatrixXcd e = exponentials(nodes.nodes(), histogram.rates);
        spread_ = e * histogram.weights.asDiagonal() * e.adjoint();
        HermitianEigen squares = eigen_of(root_ * spread_ * root_.transpose());
        squares_ = std::move(squares.values);
        u_ = std::move(squares.vectors);
    }

    /// Singular values below 3e-8 of the largest are rounding; this is of squares.
    Eigen::Index resolved() const {
        constexpr double rounding = 1e-15;
        return (squares_.array() > rounding * squares_.maxCoeff()).count();
    }
    /// The number of terms that leave a relative error below this.
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
    Eigen::MatrixXd root_; ///< root of the inner product of times
    Eigen::MatrixXcd spread_;
    RealVector squares_; ///< squares of the singular values, rising
    Eigen::MatrixXcd u_;
};

/// Some of `count` indices in order, at even distances, with both ends.
std::vector<std::size_t> spread_indices(std::size_t count) {
    constexpr std::size_t enough = 256;
    std::vector<std::size_t> chosen(std::min(count, enough));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        chosen[i] = count <= enough ? i : i * (count - 1) / (enough - 1);
    }
    return chosen;
}

/// The largest root of the mean over each row, relative to that of the row. Of rows that have
/// decayed to less than a tenth it is relative to a tenth: they have a hundredth of the energy.
template <typename Squares> double largest_of_rows(const Squares& apart, const Squares& exact) {
    constexpr double faint = 0.01; // of the squares
    const RealVector of_row = exact.rowwise().mean().cwiseMax(faint * exact.mean());
    return std::sqrt((apart.rowwise().mean().array() / of_row.array()).maxCoeff());
}

/// Bound on the relative error of a transform with these factors, however the energy of its input
/// lies over times or voxels: the largest over times of the root mean square over voxels, and the
/// largest over voxels of that over times. The root mean square over both understates F^H d where
/// the energy lies in few samples, because errors are largest at the first and last times. Voxels
/// are random ones, and bins of the histogram for those of an object in a large field of view.
class LargestError {
public:
    LargestError(const TimeNodes& nodes, const RealVector& times, const OffResonance& off,
                 const Histogram& histogram)
        : nodes_(nodes) {
        std::vector<double> sorted(times.data(), times.data() + times.size());
        std::sort(sorted.begin(), sorted.end());
        for (const std::size_t m : spread_indices(sorted.size())) {
            at_.push_back(sorted[m]);
        }
        std::vector<Complex> rates;
        for (const std::size_t n : some_indices(static_cast<std::size_t>(off.field.size()))) {
            rates.push_back(off.rate(n));
        }
        voxels_ = static_cast<Eigen::Index>(rates.size());
        for (const std::size_t n : spread_indices(histogram.rates.size())) {
            rates.push_back(histogram.rates[n]);
        }
        for (const RealVector* const values : {&off.field, &off.r2star}) {
            if (values->size() > 0) {
                Eigen::Index lowest = 0;
                Eigen::Index highest = 0;
                values->minCoeff(&lowest);
                values->maxCoeff(&highest);
                rates.push_back(off.rate(static_cast<std::size_t>(lowest)));
                rates.push_back(off.rate(static_cast<std::size_t>(highest)));
            }
        }
        exact_ = exponentials(at_, rates);
        at_nodes_ = exponentials(nodes.nodes(), rates);
    }

    double of(const Factors& factors) const {
        const Eigen::Map<const RealVector> at(at_.data(), exact_.rows());
        const Eigen::MatrixXcd sum =
            nodes_.interpolated(factors.of_times, at).transpose() * (factors.of_rates * at_nodes_);
        const Eigen::MatrixXd apart = (sum - exact_).cwiseAbs2();
        const Eigen::MatrixXd squares = exact_.cwiseAbs2();
        const Eigen::Index bins = apart.cols() - voxels_;
        return std::max(
            {largest_of_rows<Eigen::MatrixXd>(apart.leftCols(voxels_), squares.leftCols(voxels_)),
             largest_of_rows<Eigen::MatrixXd>(apart.rightCols(bins), squares.rightCols(bins)),
             largest_of_rows<Eigen::MatrixXd>(apart.transpose(), squares.transpose())});
    }

private:
    const TimeNodes& nodes_;
    std::vector<double> at_; ///< s
    Eigen::Index voxels_ = 0; ///< number of voxels of the rates, before bins
    Eigen::MatrixXcd exact_; ///< a row a time
    Eigen::MatrixXcd at_nodes_;
};

/// The factors of as many segments as the largest error asks for: at least those of this root mean
/// square.
std::pair<Factors, double> enough_factors(const TimeNodes& nodes, const RealVector& times,
                                          const OffResonance& off, double wanted) {
    const Histogram histogram = histogram_of(off);
    const LargestError largest(nodes, times, off, histogram);
    std::string found;
    // Nodes count half by their time, as bins do by their rate; a few times of very many turns are
    // exact only by themselves.
    for (const double share_of_nodes : {0.5, 0.0}) {
        const Decomposition decomposition(nodes, times, histogram, share_of_nodes);
        const Eigen::Index most = decomposition.resolved();
        for (Eigen::Index count = std::min(most, decomposition.rank_for(wanted)); count <= most;
             ++count) {
            Factors factors = decomposition.factors(count);
            const double error = largest.of(factors);
            if (error <= wanted) {
                return {std::move(factors), error};
            }
            found = text(count, " time segments have an error of ", error);
        }
    }
    throw ToleranceError(
        text("off-resonance: ", found, ", above `segment_error` ", wanted,
             "\n  next:     pass `kernel` tuned, which needs no time segments, or a larger "
             "`segment_error`"));
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

namespace {

Array on(Device& device, Precision precision, const CoilRows& rows) {
    Array array = device.zeros(rows.rows() * rows.columns(), {true, precision});
    device.upload(rows, {0, rows.rows()}, {0, rows.columns()}, 0, array);
    return array;
}

/// The relative rounding of two factors, two products with them and the sum of `count` parts, whose
/// squares add up to about those of the sum.
double rounding(std::size_t count, Precision precision) {
    return (4 + std::sqrt(static_cast<double>(count))) * unit_roundoff(precision);
}

} // namespace

SegmentedTransform::SegmentedTransform(Device& device, Precision precision,
                                       std::unique_ptr<Transform> plain,
                                       const TimeSegments& segments)
    : device_(device), plain_(std::move(plain)),
      error_(segments.error + rounding(segments.count(), precision)), count_(segments.count()),
      of_samples_(on(device, precision, segments.of_samples)),
      of_voxels_(on(device, precision, segments.of_voxels)) {}

void SegmentedTransform::prepare(const Array& in, std::size_t parts) {
    if (in_.count() != in.count()) {
        in_ = device_.zeros(in.count(), in.element());
    }
    if (part_.count() != parts) {
        part_ = device_.zeros(parts, in.element());
    }
}

void SegmentedTransform::forward(const Array& rho, Array& out, const Progress& progress) {
    prepare(rho, out.count());
    device_.combine(0, out, 0, out);
    for (std::size_t l = 0; l < count_; ++l) {
        device_.combine(1, rho, 0, in_);
        device_.multiply(of_voxels_, l * voxels(), voxels(), in_);
        plain_->forward(in_, part_, [&](double fraction) {
            progress((static_cast<double>(l) + fraction) / static_cast<double>(count_));
        });
        device_.multiply(of_samples_, l * samples(), samples(), part_);
        device_.combine(1, part_, 1, out);
    }
}

void SegmentedTransform::adjoint(const Array& values, Array& out, const Progress& progress) {
    prepare(values, out.count());
    device_.combine(0, out, 0, out);
    for (std::size_t l = 0; l < count_; ++l) {
        device_.combine(1, values, 0, in_);
        device_.multiply_conjugate(of_samples_, l * samples(), samples(), in_);
        plain_->adjoint(in_, part_, [&](double fraction) {
            progress((static_cast<double>(l) + fraction) / static_cast<double>(count_));
        });
        device_.multiply_conjugate(of_voxels_, l * voxels(), voxels(), part_);
        device_.combine(1, part_, 1, out);
    }
}

} // namespace lsrecon
