#pragma once

#include <random>

namespace lsrecon {

/// Uniform in [0, 1) with 53 bits, the same on every platform: std::uniform_real_distribution is
/// not (C++17, 29.6.8, leaves its algorithm open).
inline double uniform_number(std::mt19937_64& generator) {
    return static_cast<double>(generator() >> 11) * 0x1p-53;
}

} // namespace lsrecon
