#include "engines/chunks.hpp"

#include <algorithm>

namespace lsrecon {

namespace {

constexpr std::size_t most_coils_in_a_bundle = 8;
constexpr std::size_t most_sources_in_a_chunk = 2048;
constexpr std::size_t most_points_in_a_block = std::size_t(1) << 21;
constexpr std::size_t numbers_of_a_sum = 4; // high and low, real and imaginary

} // namespace

TransformPlan plan_transform(const DeviceLimits& limits, std::size_t coils,
                             const SourceShape& shape) {
    TransformPlan plan{};
    plan.coil_bundles = std::max<std::size_t>(1, divide_up(coils, most_coils_in_a_bundle));
    plan.coils_per_bundle = std::max<std::size_t>(1, divide_up(coils, plan.coil_bundles));
    const std::size_t source_bytes =
        shape.number_bytes *
        (shape.numbers_of_a_position + shape.numbers_of_a_value * plan.coils_per_bundle);
    plan.sources_per_chunk =
        std::clamp<std::size_t>(limits.constant_bytes / source_bytes, 1, most_sources_in_a_chunk);
    const std::size_t sums = limits.max_allocation_bytes /
                             (numbers_of_a_sum * shape.number_bytes * plan.coils_per_bundle);
    plan.points_per_block = std::clamp<std::size_t>(sums, 1, most_points_in_a_block);
    return plan;
}

} // namespace lsrecon
