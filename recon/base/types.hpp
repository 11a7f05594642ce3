// The types of numbers, vectors and matrices.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <random>

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

/// The precision of a real number, or of each part of a complex one.
enum class Precision { float32, float64 };

constexpr std::size_t bytes_of(Precision precision) {
    return precision == Precision::float64 ? 8 : 4;
}

constexpr double unit_roundoff(Precision precision) {
    return precision == Precision::float64 ? 0x1p-53 : 0x1p-24;
}

/// Uniform in [0, 1) with 53 bits, the same on every platform: std::uniform_real_distribution is
/// not (C++17, 29.6.8, leaves its algorithm open).
inline double uniform_number(std::mt19937_64& generator) {
    return static_cast<double>(generator() >> 11) * 0x1p-53;
}

} // namespace lsrecon
