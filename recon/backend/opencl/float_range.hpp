#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/types.hpp"

namespace lsrecon::opencl {

/// e such that `values` times 2^-e have their largest part near 1; 0 where floats have room for
/// them as they are, 2^32 times more and less. A power of two changes no digit, and what floats
/// still lose is 2^-94 of the largest value. 0, too, for values that are not finite: the caller
/// sees what becomes of them.
template <typename Plain> int float_exponent(const Plain& values) {
    constexpr int room = 32;
    using Scalar = typename Plain::Scalar;
    const auto* const parts = reinterpret_cast<const double*>(values.data());
    const Eigen::Index count = values.size() * Eigen::Index(sizeof(Scalar) / sizeof(double));
    const double largest =
        count == 0 ? 0.0 : Eigen::Map<const Eigen::ArrayXd>(parts, count).abs().maxCoeff();
    int exponent = 0;
    if (std::isfinite(largest)) {
        std::frexp(largest, &exponent);
    }
    return std::abs(exponent) <= room ? 0 : exponent;
}

/// values 2^exponent; for exponents beyond a double's, too.
template <typename Plain> Plain times_power_of_two(Plain values, int exponent) {
    using Scalar = typename Plain::Scalar;
    if (exponent != 0) {
        auto* const parts = reinterpret_cast<double*>(values.data());
        const Eigen::Index count = values.size() * Eigen::Index(sizeof(Scalar) / sizeof(double));
        std::transform(parts, parts + count, parts,
                       [=](double part) { return std::ldexp(part, exponent); });
    }
    return values;
}

/// The same as floats.
template <typename Floats, typename Plain> Floats as_floats(const Plain& values, int exponent) {
    using Scalar = typename Floats::Scalar;
    return exponent == 0 ? Floats(values.template cast<Scalar>())
                         : Floats(times_power_of_two(values, exponent).template cast<Scalar>());
}

/// transform(values) of a linear transform in single precision, whatever the values' scale.
template <typename Transform>
CoilMatrix in_float_range(const CoilMatrix& values, const Transform& transform) {
    const int exponent = float_exponent(values);
    return exponent == 0
               ? transform(values)
               : times_power_of_two(transform(times_power_of_two(values, -exponent)), exponent);
}

} // namespace lsrecon::opencl
