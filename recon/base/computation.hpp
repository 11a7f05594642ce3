// What a computation costs, which device it runs on, and how its iterations went.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace lsrecon {

/// The cost of a computation, predicted before it is made or runs.
struct Cost {
    double seconds = 0;
    double device_bytes = 0; ///< bytes of the device's memory, at once
    double largest_array = 0; ///< bytes of it in one array
    double host_bytes = 0;
    double error = 0; ///< bound of the relative L2 error of what it computes
    double once = 0; ///< part of the seconds that is the same for any number of coils
    // What limits the NUFFT of a coil: bytes that its FFTs read and write, multiply-adds of sums.
    double fft_bytes = 0;
    double multiply_adds = 0;

    /// An array of a device.
    static Cost array(std::size_t count, std::size_t bytes_each) {
        const double bytes = static_cast<double>(count) * static_cast<double>(bytes_each);
        return {0, bytes, bytes, 0, 0, 0};
    }
    static Cost on_host(double bytes) { return {0, 0, 0, bytes, 0, 0}; }

    /// Adds the cost of a computation that follows while both keep their memory: the larger of the
    /// largest arrays, and the sum of everything else.
    Cost& operator+=(const Cost& other) {
        seconds += other.seconds;
        device_bytes += other.device_bytes;
        largest_array = std::max(largest_array, other.largest_array);
        host_bytes += other.host_bytes;
        error += other.error;
        once += other.once;
        return *this;
    }
};

inline Cost operator+(Cost a, const Cost& b) {
    return a += b;
}

/// The cost of `count` equal parts.
inline Cost operator*(double count, const Cost& one) {
    return {count * one.seconds, count * one.device_bytes, one.largest_array,
            count * one.host_bytes, count * one.error};
}

/// The cost of two computations of which the first gives its memory back before the second begins:
/// the sum of their seconds, and the larger of their bytes.
inline Cost in_turn(const Cost& a, const Cost& b) {
    return {a.seconds + b.seconds, std::max(a.device_bytes, b.device_bytes),
            std::max(a.largest_array, b.largest_array), std::max(a.host_bytes, b.host_bytes),
            a.error + b.error};
}

/// The device, kernels and arithmetic that ran: it goes into the image's record, `info` and
/// `bench`.
struct ComputedBy {
    std::string backend; ///< backend as it was asked for
    std::string device; ///< the processor's name
    std::string driver; ///< driver or runtime version
    std::string kernel; ///< variants that ran
    std::string kernel_sha256; ///< hash of the kernel source that ran, "" without files
    double epsilon = 0; ///< unit roundoff of its arithmetic
    /// The parameters of the kernels that ran, for compiling and launching them, and who chose
    /// them: "tuned fhd: GROUP=128 VOXELS=8 (tuned on this device)", separated by "; "; "" for
    /// kernels that have no such choice.
    std::string parameters = {};
};

/// Relative residuals of the solver, one history a problem: before every iteration and at the end.
using ResidualHistories = std::vector<std::vector<double>>;

/// The reason why the iterations ended; a solve that diverges is an error and gives no image.
enum class Stop { tolerance, iterations };

} // namespace lsrecon
