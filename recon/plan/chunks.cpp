#include "plan/chunks.hpp"

#include <algorithm>

namespace lsrecon {

namespace {

constexpr std::size_t most_coils_in_a_group = 8;
constexpr std::size_t most_sources_in_a_chunk = 2048;
constexpr std::size_t most_points_in_a_block = std::size_t(1) << 21;
constexpr std::size_t bytes_of_a_sum = 16; // two complex floats

} // namespace

std::vector<Range> split_into_ranges(std::size_t total, std::size_t length) {
    std::vector<Range> ranges;
    for (std::size_t first = 0; first < total; first += length) {
        ranges.push_back({first, std::min(length, total - first)});
    }
    return ranges;
}

TransformPlan plan_transform(const DeviceLimits& limits, std::size_t coils,
                             std::size_t position_bytes, std::size_t bytes_per_coil_value) {
    TransformPlan plan{};
    plan.coil_groups = std::max<std::size_t>(1, divide_up(coils, most_coils_in_a_group));
    plan.coils_per_group = std::max<std::size_t>(1, divide_up(coils, plan.coil_groups));
    const std::size_t source_bytes = position_bytes + bytes_per_coil_value * plan.coils_per_group;
    plan.sources_per_chunk =
        std::clamp<std::size_t>(limits.constant_bytes / source_bytes, 1, most_sources_in_a_chunk);
    const std::size_t sums = limits.max_allocation_bytes / (bytes_of_a_sum * plan.coils_per_group);
    plan.points_per_block = std::clamp<std::size_t>(sums, 1, most_points_in_a_block);
    return plan;
}

} // namespace lsrecon
