#pragma once

#include <chrono>

namespace lsrecon {

/// Wall-clock seconds since a moment of std::chrono::steady_clock.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace lsrecon
