#include "base/complex_rows.hpp"

#include "base/vector_clones.hpp"

namespace lsrecon {

template <typename Real>
LSRECON_AVX2_CLONE void ComplexRows<Real>::multiply(const Value* a, const Value* b,
                                                    Value* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(a[i], b[i]);
    }
}

template <typename Real> LSRECON_AVX2_CLONE void
ComplexRows<Real>::multiply_by(const Value* a, Value* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(a[i], out[i]);
    }
}

template <typename Real>
LSRECON_AVX2_CLONE void ComplexRows<Real>::multiply_conjugate(const Value* a, const Value* b,
                                                              Value* __restrict out,
                                                              std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(std::conj(a[i]), b[i]);
    }
}

template <typename Real>
LSRECON_AVX2_CLONE void ComplexRows<Real>::add_conjugate_product(const Value* a, const Value* b,
                                                                 Value* __restrict out,
                                                                 std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] += product(std::conj(a[i]), b[i]);
    }
}

template struct ComplexRows<float>;
template struct ComplexRows<double>;

} // namespace lsrecon
