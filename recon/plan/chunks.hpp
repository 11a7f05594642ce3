#pragma once

#include <cstddef>
#include <vector>

namespace lsrecon {

inline std::size_t divide_up(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}
inline std::size_t round_up(std::size_t a, std::size_t b) {
    return divide_up(a, b) * b;
}

/// A run of items [first, first + count).
struct Range {
    std::size_t first;
    std::size_t count;
};

/// `total` items in runs of `length`, the last one shorter; none for no items.
std::vector<Range> split_into_ranges(std::size_t total, std::size_t length);

/// What the transforms must know of a device to divide their work.
struct DeviceLimits {
    std::size_t constant_bytes = 64 * 1024;
    std::size_t max_allocation_bytes = std::size_t(1) << 30;
};

/// How one transform is divided.
struct TransformPlan {
    std::size_t coils_per_group; ///< coils that share the exponentials of a pair
    std::size_t coil_groups;
    std::size_t sources_per_chunk;
    std::size_t points_per_block;
};

/// `bytes_per_coil_value` is what one more coil adds to a source, in bytes.
///
/// Groups are of equal size, at most 8 coils, so that the sums stay in registers and one program
/// serves all groups. Chunks fill the device's constant memory up to 2048 sources, enough for the
/// launches not to count. Blocks bound the device memory and the time of one launch, which
/// displays and watchdogs ask for.
TransformPlan plan_transform(const DeviceLimits& limits, std::size_t coils,
                             std::size_t position_bytes, std::size_t bytes_per_coil_value);

} // namespace lsrecon
