#include "engines/time_terms.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "engines/time_nodes.hpp"

namespace lsrecon {

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
