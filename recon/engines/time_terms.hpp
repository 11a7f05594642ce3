#pragma once

#include "scan/voxels.hpp"

namespace lsrecon {

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
