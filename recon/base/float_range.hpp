#pragma once

#include <cmath>

#include "base/largest_part.hpp"
#include "base/precision.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// The largest real or imaginary part of a vector, by its size; not finite where the values are
/// not.
template <typename Vector> double largest_part(const Vector& values) {
    LargestPart largest;
    constexpr std::size_t parts = sizeof(typename Vector::Scalar) / sizeof(double);
    largest.add(reinterpret_cast<const double*>(values.data()),
                parts * static_cast<std::size_t>(values.size()));
    return largest.value();
}

/// Multiplies by 2^exponent, in two steps of which neither leaves the range of doubles: what
/// std::ldexp does, and a loop of it takes a tenth of the time.
class PowerOfTwo {
public:
    explicit PowerOfTwo(int exponent)
        : first_(std::ldexp(1.0, exponent / 2)), second_(std::ldexp(1.0, exponent - exponent / 2)) {
    }
    double operator()(double value) const { return value * first_ * second_; }

private:
    double first_;
    double second_;
};

/// A real or complex number times a power of two, rounded to To.
template <typename To, typename From> To scaled_to(const From& from, const PowerOfTwo& scale) {
    if constexpr (Eigen::NumTraits<From>::IsComplex) {
        using Part = typename To::value_type;
        return {static_cast<Part>(scale(from.real())), static_cast<Part>(scale(from.imag()))};
    } else {
        return static_cast<To>(scale(from));
    }
}

/// e such that numbers up to `largest` times 2^-e are at most 1, or 0 where floats have room for
/// them and for the squares of their sums as they are. A power of two changes no digit, and what
/// floats still lose is far below their roundoff. Also 0 for what is not finite, which the caller
/// handles.
inline int float_exponent(double largest) {
    constexpr int upwards = 8;
    constexpr int downwards = -32;
    int exponent = 0;
    if (std::isfinite(largest)) {
        std::frexp(largest, &exponent);
    }
    return exponent > upwards || exponent < downwards ? exponent : 0;
}

/// The exponent for numbers that are computed in this precision: doubles need no care.
inline int range_exponent(Precision precision, double largest) {
    return precision == Precision::float32 ? float_exponent(largest) : 0;
}

} // namespace lsrecon
