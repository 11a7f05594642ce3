#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace lsrecon {

/// A sum as (high, low), for the digits that rounding takes from the first.
using TwoPartSum = std::pair<double, double>;
double total(const std::vector<TwoPartSum>& sums);

/// The inner loops of HostDevice, over real numbers in a row: two of a complex one. Float and
/// double. A row that is written overlaps no other unless stated otherwise.
template <typename Real> struct HostRows {
    using Coefficients = std::array<Real, Taps().size()>;
    using Rows = std::array<const Real*, Taps().size()>;

    /// y = a x + b y, where y is not read for b = 0, and x may be y.
    static void combine(Real a, const Real* x, Real b, Real* y, std::size_t count);
    /// sum x y, with the rounding of the products alone.
    static TwoPartSum dot(const Real* x, const Real* y, std::size_t count);
    /// out = a - b
    static void difference(const Real* a, const Real* b, Real* out, std::size_t count);
    /// out += a - b
    static void add_difference(const Real* a, const Real* b, Real* out, std::size_t count);
    /// out = sum_t a[t] x[t]
    static void sum_of_rows(const Coefficients& a, const Rows& x, Real* out, std::size_t count);
    /// out += sum_t a[t] x[t]
    static void add_sum_of_rows(const Coefficients& a, const Rows& x, Real* out, std::size_t count);
    /// squares(n) += |y(n)|^2 of `count` complex y.
    static void add_squares(const Real* y, double* squares, std::size_t count);
    /// y(n) *= f(n) of `count` complex y; f of doubles, or as y.
    template <typename Factor> static void multiply(const Factor* f, Real* y, std::size_t count);
    /// out(n) += sign f(n) y(n) of `count` complex y.
    static void add_product(Real sign, const Real* f, const Real* y, Real* out, std::size_t count);
    /// out(n) += f(n) a(n) - g(n) b(n) of `count` complex a and b.
    static void add_difference_of_products(const Real* f, const Real* a, const Real* g,
                                           const Real* b, Real* out, std::size_t count);
};

} // namespace lsrecon
