#include "base/complex_rows.hpp"

// Compilers make vectors of these loops, as wide as every x86-64 has them, and twice as wide for
// processors with AVX2: the loader chooses, which needs glibc, and which ThreadSanitizer forbids.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__)
#define LSRECON_AVX2_CLONE __attribute__((target_clones("avx2", "default")))
#else
#define LSRECON_AVX2_CLONE
#endif

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
