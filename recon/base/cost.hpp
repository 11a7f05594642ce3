#pragma once

#include <algorithm>

namespace lsrecon {

/// What something takes, asked of it before it is made or runs.
struct Cost {
    double seconds = 0;
    double device_bytes = 0; ///< of the device's memory, at once
    double largest_array = 0; ///< bytes of it in one array
    double host_bytes = 0;
    double error = 0; ///< bound of the relative L2 error of what it computes

    /// Of both, one after the other with what both hold: the larger of their largest arrays, the
    /// sum of all else.
    Cost& operator+=(const Cost& other) {
        seconds += other.seconds;
        device_bytes += other.device_bytes;
        largest_array = std::max(largest_array, other.largest_array);
        host_bytes += other.host_bytes;
        error += other.error;
        return *this;
    }
};

inline Cost operator+(Cost a, const Cost& b) {
    return a += b;
}

} // namespace lsrecon
