// Vectors of complex numbers: products, scaling, norms, and the eigenvectors of a matrix.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// The product without the checks for NaN of operator*.
template <typename Real>
std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Such products of numbers in a row, in float and double. A row that is written overlaps no other.
template <typename Real> struct ComplexRows {
    using Value = std::complex<Real>;
    /// out = a b
    static void multiply(const Value* a, const Value* b, Value* out, std::size_t count);
    /// out *= a
    static void multiply_by(const Value* a, Value* out, std::size_t count);
    /// out = conj(a) b
    static void multiply_conjugate(const Value* a, const Value* b, Value* out, std::size_t count);
    /// out += conj(a) b
    static void add_conjugate_product(const Value* a, const Value* b, Value* out,
                                      std::size_t count);
};

/// A volume's numbers in the memory of the host, of which the same volume (device/volume.hpp) is
/// made again, bit for bit.
struct ParkedVolume {
    ComplexVector values; ///< stored values; each stands for it times 2^exponent
    std::optional<Precision> of_array = {}; ///< none for values on the host
    int exponent = 0;

    ComplexVector scaled() const;
};

/// values times 2^exponent
ComplexVector scaled(ComplexVector values, int exponent);

/// L2 norm on all cores, of values of any size, the same for any number of cores.
inline double norm_of(const ComplexVector& values) {
    constexpr std::size_t of_a_block = std::size_t(1) << 16;
    const std::vector<Range> blocks =
        split_into_ranges(static_cast<std::size_t>(values.size()), of_a_block);
    RealVector norms(static_cast<Eigen::Index>(blocks.size()));
    for_each_in_parallel(blocks.size(), [&](std::size_t i) {
        norms(static_cast<Eigen::Index>(i)) =
            values
                .segment(static_cast<Eigen::Index>(blocks[i].first),
                         static_cast<Eigen::Index>(blocks[i].count))
                .stableNorm();
    });
    return norms.size() == 0 ? 0 : norms.stableNorm();
}

/// The eigenvalues and eigenvectors of a Hermitian matrix, N x N, whose lower half is read. One
/// file has Eigen's solver, which takes seconds to compile.
struct HermitianEigen {
    RealVector values; ///< N, the smallest first
    Eigen::MatrixXcd vectors; ///< N x N, one a column, of length 1
    bool has_converged;
};

HermitianEigen eigen_of(const Eigen::MatrixXcd& hermitian);

} // namespace lsrecon
