#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

    /// Adds the real and imaginary parts of a matrix of complex doubles.
    template <typename Matrix> void add(const Matrix& values) {
        static_assert(sizeof(typename Matrix::Scalar) == 2 * sizeof(double));
        add(reinterpret_cast<const double*>(values.data()),
            2 * static_cast<std::size_t>(values.size()));
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

} // namespace lsrecon
