#pragma once

#include <cmath>
#include <functional>

#include "backend/opencl/cl.hpp"

namespace lsrecon::opencl {

inline double in_mib(std::size_t bytes) {
    return std::round(static_cast<double>(bytes) / (1 << 20) * 100) / 100;
}

/// attempt(bytes), and again with half the bytes for as long as the device has no room and the
/// pieces are not tiny; `note` is told. What the device says at last is thrown.
template <typename Attempt>
auto with_smaller_pieces(std::size_t bytes, const std::function<void(const std::string&)>& note,
                         const Attempt& attempt) {
    constexpr std::size_t fewest_bytes = std::size_t(1) << 16;
    for (;; bytes /= 2) {
        try {
            return attempt(bytes);
        } catch (const cl::Error& error) {
            const bool no_room = error.err() == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                                 error.err() == CL_OUT_OF_RESOURCES ||
                                 error.err() == CL_INVALID_BUFFER_SIZE;
            if (!no_room || bytes / 2 < fewest_bytes) {
                throw;
            }
            note(text("the device has no room for pieces of ", in_mib(bytes),
                      " MiB; going on with half of that"));
        }
    }
}

} // namespace lsrecon::opencl
