#pragma once

#include <vector>

#include "base/types.hpp"

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

} // namespace lsrecon
