#pragma once

#include <complex>
#include <cstddef>

// Products of complex numbers in a row, without the checks for NaN of operator*. A row that is
// written overlaps no other.

namespace lsrecon {

template <typename Real>
std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Float and double.
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

} // namespace lsrecon
