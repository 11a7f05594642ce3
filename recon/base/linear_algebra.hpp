// Vectors of complex numbers: products, scaling, norms, and the eigenvectors of a matrix.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>

#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// The product without the checks for NaN of operator*.
template <typename Real>
std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Such products of numbers in a row, in float and double; a factor may be in the other precision.
/// A row that is written overlaps no other.
template <typename Real> struct ComplexRows {
    using Value = std::complex<Real>;
    /// out = a b
    template <typename Factor> static void multiply(const std::complex<Factor>* a, const Value* b,
                                                    Value* out, std::size_t count);
    /// out *= a
    static void multiply_by(const Value* a, Value* out, std::size_t count);
    /// out = conj(a) b
    template <typename Factor> static void multiply_conjugate(const std::complex<Factor>* a,
                                                              const Value* b, Value* out,
                                                              std::size_t count);
    /// out += conj(a) b
    template <typename Factor> static void add_conjugate_product(const std::complex<Factor>* a,
                                                                 const Value* b, Value* out,
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

/// Calls work(segment, first) for segments of a vector, on all cores.
template <typename Vector, typename Work> void for_each_segment(Vector& values, const Work& work) {
    const auto size = static_cast<std::size_t>(values.size());
    for_each_range_in_parallel(size, cores_for(size), [&](const Range& some) {
        const auto first = static_cast<Eigen::Index>(some.first);
        work(values.segment(first, static_cast<Eigen::Index>(some.count)), first);
    });
}

/// A vector whose values are still to be written, on large pages where the system has them: the
/// first touch of small ones takes longer than what is done with most vectors.
template <typename Vector> Vector unwritten(Eigen::Index size) {
    Vector values(size);
    ask_for_large_pages(values.data(),
                        static_cast<std::size_t>(size) * sizeof(typename Vector::Scalar));
    return values;
}

/// op(segment) of each segment of a vector, on all cores.
template <typename Values, typename Op>
ComplexVector of_segments(const Eigen::MatrixBase<Values>& values, const Op& op) {
    auto result = unwritten<ComplexVector>(values.size());
    for_each_segment(result, [&](auto segment, Eigen::Index first) {
        segment = op(values.segment(first, segment.size()));
    });
    return result;
}
template <typename Values>
ComplexVector times(const Eigen::MatrixBase<Values>& values, double factor) {
    return of_segments(values, [&](const auto& segment) { return segment * factor; });
}
template <typename Values>
ComplexVector over(const Eigen::MatrixBase<Values>& values, double divisor) {
    return of_segments(values, [&](const auto& segment) { return segment / divisor; });
}
inline void multiply(ComplexVector& values, double factor) {
    for_each_segment(values, [&](auto segment, Eigen::Index) { segment *= factor; });
}
inline void divide(ComplexVector& values, double divisor) {
    for_each_segment(values, [&](auto segment, Eigen::Index) { segment /= divisor; });
}

/// L2 norm on all cores, of an expression of values of any size, the same for any number of cores.
template <typename Values> double norm_of(const Eigen::MatrixBase<Values>& values) {
    constexpr std::size_t of_a_block = std::size_t(1) << 16;
    const std::vector<Range> blocks =
        split_into_ranges(static_cast<std::size_t>(values.size()), of_a_block);
    RealVector norms(static_cast<Eigen::Index>(blocks.size()));
    for_each_range_in_parallel(
        blocks.size(), cores_for(static_cast<std::size_t>(values.size())), [&](const Range& some) {
            for (std::size_t i = some.first; i < some.first + some.count; ++i) {
                norms(static_cast<Eigen::Index>(i)) =
                    values
                        .segment(static_cast<Eigen::Index>(blocks[i].first),
                                 static_cast<Eigen::Index>(blocks[i].count))
                        .stableNorm();
            }
        });
    return norms.size() == 0 ? 0 : norms.stableNorm();
}

/// The largest absolute value; 0 of none.
inline double largest_size(const ComplexVector& values) {
    double largest = 0;
    const auto size = static_cast<std::size_t>(values.size());
    for (const double of_some : of_each_range(size, cores_for(size), [&](const Range& some) {
             return values
                 .segment(static_cast<Eigen::Index>(some.first),
                          static_cast<Eigen::Index>(some.count))
                 .cwiseAbs()
                 .maxCoeff();
         })) {
        largest = std::max(largest, of_some);
    }
    return largest;
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
