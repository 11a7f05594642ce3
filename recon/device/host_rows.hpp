#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lsrecon {

/// A sum as (high, low), for the digits that rounding takes from the first.
using TwoPartSum = std::pair<double, double>;
double total(const std::vector<TwoPartSum>& sums);

/// The inner loops of HostDevice, over real numbers in a row: two of a complex one. Float and
/// double. A row that is written overlaps no other unless stated otherwise.
template <typename Real> struct HostRows {
    /// y = a x + b y, where y is not read for b = 0, and x may be y.
    static void combine(Real a, const Real* x, Real b, Real* y, std::size_t count);
    /// sum x y, with the rounding of the products alone.
    static TwoPartSum dot(const Real* x, const Real* y, std::size_t count);
};

} // namespace lsrecon
