// Multiplies rows of complex numbers in vector units, scales volumes by powers of two, and takes
// eigenvectors from Eigen.

#include "base/linear_algebra.hpp"

#include <Eigen/Eigenvalues>

namespace lsrecon {

template <typename Real> template <typename Factor>
LSRECON_AVX2_CLONE void ComplexRows<Real>::multiply(const std::complex<Factor>* a, const Value* b,
                                                    Value* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(Value(a[i]), b[i]);
    }
}

template <typename Real> LSRECON_AVX2_CLONE void
ComplexRows<Real>::multiply_by(const Value* a, Value* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(a[i], out[i]);
    }
}

template <typename Real> template <typename Factor>
LSRECON_AVX2_CLONE void ComplexRows<Real>::multiply_conjugate(const std::complex<Factor>* a,
                                                              const Value* b, Value* __restrict out,
                                                              std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(std::conj(Value(a[i])), b[i]);
    }
}

template <typename Real> template <typename Factor> LSRECON_AVX2_CLONE void
ComplexRows<Real>::add_conjugate_product(const std::complex<Factor>* a, const Value* b,
                                         Value* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] += product(std::conj(Value(a[i])), b[i]);
    }
}

#define LSRECON_ROWS(Real, Factor)                                                                 \
    template void ComplexRows<Real>::multiply(const std::complex<Factor>*, const Value*, Value*,   \
                                              std::size_t);                                        \
    template void ComplexRows<Real>::multiply_conjugate(const std::complex<Factor>*, const Value*, \
                                                        Value*, std::size_t);                      \
    template void ComplexRows<Real>::add_conjugate_product(const std::complex<Factor>*,            \
                                                           const Value*, Value*, std::size_t);
LSRECON_ROWS(float, float)
LSRECON_ROWS(float, double)
LSRECON_ROWS(double, float)
LSRECON_ROWS(double, double)
#undef LSRECON_ROWS
template struct ComplexRows<float>;
template struct ComplexRows<double>;

ComplexVector scaled(ComplexVector values, int exponent) {
    if (exponent != 0) {
        const auto count = static_cast<std::size_t>(values.size());
        for_each_range_in_parallel(count, cores_for(count), [&](const Range& range) {
            for (std::size_t n = range.first; n < range.first + range.count; ++n) {
                Complex& value = values(static_cast<Eigen::Index>(n));
                value = ldexp(value, exponent);
            }
        });
    }
    return values;
}

ComplexVector ParkedVolume::scaled() const {
    return lsrecon::scaled(values, exponent);
}

HermitianEigen eigen_of(const Eigen::MatrixXcd& hermitian) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(hermitian);
    return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

} // namespace lsrecon
