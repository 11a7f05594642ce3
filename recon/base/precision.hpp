#pragma once

#include <cstddef>

namespace lsrecon {

/// The precision of a real number, or of each part of a complex one.
enum class Precision { float32, float64 };

constexpr std::size_t bytes_of(Precision precision) {
    return precision == Precision::float64 ? 8 : 4;
}

constexpr double unit_roundoff(Precision precision) {
    return precision == Precision::float64 ? 0x1p-53 : 0x1p-24;
}

} // namespace lsrecon
