#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>

namespace lsrecon {

constexpr double pi = 3.14159265358979323846;

using Complex = std::complex<double>;

/// x, y, z; z is 0 in two dimensions.
using Vec3 = std::array<double, 3>;

/// Rows are coils, columns are samples (C x M) or voxels (C x N); a row is contiguous.
using CoilMatrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ComplexVector = Eigen::VectorXcd;
using RealVector = Eigen::VectorXd;

/// value 2^exponent, each part on its own: a product of complex numbers may overflow.
inline Complex ldexp(const Complex& value, int exponent) {
    return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
}

inline std::size_t rows(const CoilMatrix& a) {
    return static_cast<std::size_t>(a.rows());
}
inline std::size_t columns(const CoilMatrix& a) {
    return static_cast<std::size_t>(a.cols());
}

} // namespace lsrecon
