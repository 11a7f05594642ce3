// Off-resonance over time: interpolation, and the terms of the normal operator.

#pragma once

#include <vector>

#include "base/types.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Interpolation over time from Chebyshev nodes (Berrut and Trefethen 2004, SIAM Review 46:501),
/// which holds exp(-z t) to 1e-12 for every |z| up to a limit.
class TimeNodes {
public:
    /// DeviceError when that needs more nodes than anything can be done with.
    TimeNodes(const RealVector& times, double largest_rate);

    const std::vector<double>& nodes() const { return nodes_; } ///< s
    /// Rows of weights, one a time and one column a node: values at nodes times these are values
    /// at the times.
    Eigen::MatrixXd weights(const RealVector& times) const;
    /// values_at_nodes, T x L, at each of these times, L x M: the weights are made once for times
    /// that repeat, as those of readouts do.
    Eigen::MatrixXcd interpolated(const Eigen::MatrixXcd& values_at_nodes,
                                  const RealVector& times) const;
    /// sum_m w_m^T w_m / M of the rows w of weights(times), over evenly spaced quantiles where
    /// there are many times: the inner product of functions of time.
    Eigen::MatrixXd gram(const RealVector& times) const;

private:
    double middle_;
    double half_;
    std::vector<double> nodes_;
    std::vector<double> barycentric_;
};

/// exp(-z t), a row a time and a column a rate z.
Eigen::MatrixXcd exponentials(const std::vector<double>& times, const std::vector<Complex>& rates);

/// The indices of 0..count-1 at which an error is measured: random, the same every time.
std::vector<std::size_t> some_indices(std::size_t count);

/// Off-resonance of the normal operator as a sum of products, as TimeSegments are that of the
/// transform. Factors of the sample are real, and those of two voxels are each other's conjugate:
///
///     exp(-(conj(z_n) + z_n') t_m) = sum_l weights(l, m) exp(-conj(z_n) time_l) exp(-z_n' time_l)
///
/// Times are chosen by a pivoted QR decomposition, weights by least squares.
struct TimeTerms {
    Eigen::MatrixXd weights; ///< L x M
    std::vector<double> times; ///< s
    double error; ///< relative L2 of a pair of voxels, at random ones and random samples
};
TimeTerms time_terms(const RealVector& times, const OffResonance& off_resonance, double wanted);

/// An upper estimate of their number at an error of 1e-7, from the extremes of field, decay and
/// times: two for each turn between the two voxels that are furthest apart, and some. Measured as 1
/// to 1.3 times it (tests/unit/time_terms_test.cpp).
std::size_t expected_time_terms(const RealVector& times, const OffResonance& off_resonance);

} // namespace lsrecon
