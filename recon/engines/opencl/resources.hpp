// What a transform computes with on an OpenCL device.

#pragma once

#include <cmath>
#include <type_traits>

#include "base/finding.hpp"
#include "device/opencl/cl.hpp"
#include "device/opencl/opencl_device.hpp"
#include "engines/opencl/engines.hpp"

namespace lsrecon::opencl {

/// The queue, device and precision that a transform computes with.
struct Resources {
    Queue& queue;
    Device& device; ///< device of the queue
    Precision precision; ///< precision of the transform
    OnFinding on_finding;

    Element complex() const { return {true, precision}; }
    Element real() const { return {false, precision}; }
    Real number(double value) const { return {value, precision}; }

    /// The best that the device has, for a few products.
    Precision wide() const {
        return device.has(Precision::float64) ? Precision::float64 : Precision::float32;
    }
    /// The defines for the compiler of kernels (kernels/real.h).
    std::string defines() const {
        return text(" -DDOUBLES=", precision == Precision::float64 ? 1 : 0,
                    wide() == Precision::float64 ? " -DWIDE=double" : "");
    }
    /// Real numbers from the host to an array of the transform's precision, from its number `first`
    /// on.
    template <typename Number>
    void write(const std::vector<Number>& numbers, Array& array, std::size_t first) const {
        if (precision == Precision::float64) {
            write_as<double>(numbers, array, first);
        } else {
            write_as<float>(numbers, array, first);
        }
    }
    /// Real numbers, all of them 0.
    Array zeros(std::size_t count) const { return device.zeros(count, real()); }
    Array upload(const std::vector<double>& numbers) const {
        Array array = zeros(numbers.size());
        write(numbers, array, 0);
        return array;
    }

    /// Launches a kernel whose first argument is the number of items in dimension 0
    /// (kernels/real.h).
    template <typename... Values> void launch(cl::Kernel kernel,
                                              const std::array<std::size_t, 3>& items,
                                              const Values&... values) const {
        queue.launch_items(std::move(kernel), items, values...);
    }

private:
    template <typename Stored, typename Number>
    void write_as(const std::vector<Number>& numbers, Array& array, std::size_t first) const {
        if constexpr (std::is_same_v<Stored, Number>) {
            queue.write(numbers.data(), numbers.size() * sizeof(Stored), buffer_of(array),
                        first * sizeof(Stored));
        } else {
            write_as<Stored>(std::vector<Stored>(numbers.begin(), numbers.end()), array, first);
        }
    }
};

inline Resources resources_of(const EngineContext& context) {
    return {queue_of(context.device), context.device, context.precision, context.on_finding};
}

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
