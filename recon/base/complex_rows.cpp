#include "base/complex_rows.hpp"

// Compilers make vectors of these loops: those that every processor of its kind has, and wider
// ones, which are chosen when the program starts on a processor that has them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LSRECON_OR_WIDER __attribute__((target_clones("avx2", "default")))
#else
#define LSRECON_OR_WIDER
#endif

namespace lsrecon {

template <typename Real>
LSRECON_OR_WIDER void ComplexRows<Real>::multiply(const Value* a, const Value* b,
                                                  Value* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(a[i], b[i]);
    }
}

template <typename Real> LSRECON_OR_WIDER void
ComplexRows<Real>::multiply_by(const Value* a, Value* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(a[i], out[i]);
    }
}

template <typename Real>
LSRECON_OR_WIDER void ComplexRows<Real>::multiply_conjugate(const Value* a, const Value* b,
                                                            Value* __restrict out,
                                                            std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = product(std::conj(a[i]), b[i]);
    }
}

template <typename Real>
LSRECON_OR_WIDER void ComplexRows<Real>::add_conjugate_product(const Value* a, const Value* b,
                                                               Value* __restrict out,
                                                               std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out[i] += product(std::conj(a[i]), b[i]);
    }
}

template struct ComplexRows<float>;
template struct ComplexRows<double>;

} // namespace lsrecon
