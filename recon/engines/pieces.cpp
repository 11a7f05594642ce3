// Chooses how many coils, sources and points one piece of a transform has, from the room and the
// largest array of a device.

#include "engines/pieces.hpp"

#include <algorithm>

#include "base/ranges.hpp"

namespace lsrecon {

namespace {

/// Bytes of the position, order and phase of a source; twice where x -> -x needs other positions.
constexpr double bytes_of_a_source = 80;
constexpr double bytes_of_a_point = 24;
/// Bytes of the values of some coils, in and out: more was not faster.
constexpr double most_bytes_of_values = 2.0 * (1U << 30);

std::size_t at_least_one(double number) {
    return static_cast<std::size_t>(std::max(1.0, number));
}

/// Values as they are loaded and as they are packed; sums of a piece and of all.
double bytes_of_a_value(Precision precision) {
    return 2 * 2.0 * static_cast<double>(bytes_of(precision));
}

} // namespace

double bytes_of_positions(std::size_t sources, std::size_t points) {
    return bytes_of_a_source * static_cast<double>(sources) +
           bytes_of_a_point * static_cast<double>(points);
}

Cost cost_of_pieces(const PieceSizes& pieces, Precision precision) {
    const auto sources = static_cast<double>(pieces.sources);
    const auto points = static_cast<double>(pieces.points);
    const double rows = bytes_of_a_value(precision) * static_cast<double>(pieces.coils);
    return {0, rows * (sources + points) + bytes_of_positions(pieces.sources, pieces.points),
            rows / 2 * std::max(sources, points), 0, 0};
}

PieceSizes fit_pieces(const TransformShape& shape, double room, double largest_array,
                      Precision precision) {
    const double complex = 2.0 * static_cast<double>(bytes_of(precision));
    const double of_sources = bytes_of_a_value(precision) * static_cast<double>(shape.sources);
    const double of_points = bytes_of_a_value(precision) * static_cast<double>(shape.points);
    const double positions = bytes_of_positions(shape.sources, shape.points);
    const double left = room / 2 - positions;
    const double of_array =
        largest_array / complex / static_cast<double>(std::max(shape.sources, shape.points));
    PieceSizes pieces{shape.coils, shape.sources, shape.points};
    const double coils = std::min({left / (of_sources + of_points), of_array,
                                   std::max(1.0, most_bytes_of_values / (of_sources + of_points))});
    if (coils >= 1) {
        // The parts are of equal size.
        const std::size_t affordable = std::min(shape.coils, at_least_one(coils));
        pieces.coils = divide_up(shape.coils, divide_up(shape.coils, affordable));
        return pieces;
    }
    pieces.coils = 1;
    const double values = largest_array / complex;
    pieces.sources =
        std::min(shape.sources,
                 at_least_one(std::min(room / 4 / (bytes_of_a_source + 2 * complex), values)));
    const double points = std::min(room / 4 / (bytes_of_a_point + 2 * complex), values);
    const std::size_t together = shape.points_together;
    pieces.points =
        std::min(shape.points, together * at_least_one(points / static_cast<double>(together)));
    return pieces;
}

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
