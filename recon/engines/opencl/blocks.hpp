#pragma once

#include <cmath>

#include "base/finding.hpp"
#include "device/opencl/cl.hpp"

namespace lsrecon::opencl {

inline double in_mib(std::size_t bytes) {
    return std::round(static_cast<double>(bytes) / (1 << 20) * 100) / 100;
}

/// attempt(bytes) for blocks of so many bytes, and again with half as many, with a finding, for as
/// long as the device has no room and the blocks are not tiny. Throws the device's last error.
template <typename Attempt>
void with_smaller_blocks(std::size_t bytes, const OnFinding& on_finding, const Attempt& attempt) {
    constexpr std::size_t fewest_bytes = std::size_t(1) << 16;
    for (;; bytes /= 2) {
        try {
            return guarded("a transform", [&] { attempt(bytes); });
        } catch (const NoRoomError&) {
            if (bytes / 2 < fewest_bytes) {
                throw;
            }
            on_finding({Found::device_memory, {{"mib", in_mib(bytes)}}});
        }
    }
}

} // namespace lsrecon::opencl
