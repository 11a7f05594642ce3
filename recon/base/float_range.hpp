// The range of floats: the largest of many numbers, and powers of two that bring them into it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// The largest |x| of real numbers, and whether all of them are finite, in one pass without a
/// branch: the bits of |x| are in the order of |x|, with infinity above all numbers and NaN above
/// infinity.
class LargestPart {
public:
    void add(const float* x, std::size_t count) {
        const double largest = static_cast<double>(largest_of<float, std::int32_t>(x, count));
        add(&largest, 1);
    }
    void add(const double* x, std::size_t count) {
        const double largest = largest_of<double, std::int64_t>(x, count);
        std::int64_t bits = 0;
        std::memcpy(&bits, &largest, sizeof(bits));
        bits_ = std::max(bits_, bits);
    }

    /// Adds doubles, or the real and imaginary parts of complex doubles.
    template <typename Matrix> void add(const Matrix& values) {
        constexpr std::size_t parts = sizeof(typename Matrix::Scalar) / sizeof(double);
        add(reinterpret_cast<const double*>(values.data()),
            parts * static_cast<std::size_t>(values.size()));
    }

    /// Infinity or NaN when a number is; 0 without numbers.
    double value() const {
        double result = 0;
        std::memcpy(&result, &bits_, sizeof(result));
        return result;
    }

private:
    template <typename Number, typename Bits>
    static Number largest_of(const Number* x, std::size_t count) {
        static_assert(sizeof(Number) == sizeof(Bits));
        constexpr Bits without_sign = ~(Bits(1) << (8 * sizeof(Bits) - 2) << 1);
        Bits largest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            Bits bits = 0;
            std::memcpy(&bits, x + i, sizeof(bits));
            largest = std::max(largest, static_cast<Bits>(bits & without_sign));
        }
        Number result = 0;
        std::memcpy(&result, &largest, sizeof(result));
        return result;
    }

    std::int64_t bits_ = 0;
};

/// The largest real or imaginary part of a vector, by its size; not finite where the values are
/// not.
template <typename Vector> double largest_part(const Vector& values) {
    const auto* const parts = reinterpret_cast<const double*>(values.data());
    const std::size_t count =
        sizeof(typename Vector::Scalar) / sizeof(double) * static_cast<std::size_t>(values.size());
    LargestPart largest;
    for (const double of_some : of_each_range(count, cores_for(count), [&](const Range& some) {
             LargestPart of_these;
             of_these.add(parts + some.first, some.count);
             return of_these.value();
         })) {
        largest.add(&of_some, 1);
    }
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

/// The exponent e for which numbers up to `largest`, times 2^-e, are at most 1. It is 0 where
/// floats can hold the numbers, and the squares of their sums, as they are. A power of two changes
/// no digit, and what floats still lose is far below their roundoff. It is also 0 for a `largest`
/// that is not finite, which the caller handles.
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
