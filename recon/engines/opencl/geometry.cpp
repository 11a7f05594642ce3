#include "engines/opencl/geometry.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace lsrecon::opencl {

namespace {

/// SMALL_REST of kernels/tuned.cl.
constexpr double most_turns_of_a_small_rest = 1.0 / 32;
/// Bytes of the sums of a work-item, points times coils.
constexpr std::size_t most_bytes_of_sums_on_a_gpu = 64;
/// Few points are better spread over a GPU than kept together.
constexpr std::size_t fewest_items_of_a_unit = 512;

std::size_t points_of_an_item(const DeviceInfo& device, std::size_t wanted, std::size_t bytes,
                              std::size_t points) {
    const auto too_many = [&] {
        return wanted * bytes > most_bytes_of_sums_on_a_gpu ||
               points < wanted * fewest_items_of_a_unit * device.compute_units;
    };
    while (device.type != "cpu" && wanted > 1 && too_many()) {
        wanted /= 2;
    }
    return wanted;
}

/// Separate rows save about a fifth of the work of a pair, so up to a fifth may be idle.
bool keep_rows_apart(std::size_t row_length, std::size_t of_an_item, std::size_t most_points) {
    const std::size_t places = round_up(row_length, of_an_item);
    return row_length > 1 && row_length <= most_points && 4 * places <= 5 * row_length;
}

} // namespace

std::size_t Geometry::row_of(const Range& block) const {
    return row_length == 0 ? block.count : row_length;
}

std::size_t Geometry::items(const Range& block) const {
    return block.count / row_of(block) * divide_up(row_of(block), points_of_an_item);
}

Geometry tuned_geometry(const Resources& resources, const ChosenParameters& parameters,
                        const PointsOnDevice& sources, const PointsOnDevice& points, bool mirror,
                        TransformPlan& plan) {
    const DeviceInfo& device = resources.queue.info();
    const std::size_t number_bytes = bytes_of(resources.precision);
    Geometry geometry;
    geometry.mirror = mirror;
    ChosenParameters compiled = parameters;
    const auto value = [&](const char* name) {
        return static_cast<std::size_t>(parameters.values.at(name));
    };
    geometry.group = value("GROUP");
    geometry.points_of_an_item =
        points_of_an_item(device, value("VOXELS"),
                          (mirror ? 2 : 1) * plan.coils_per_bundle * number_bytes, points.count);
    compiled.values["VOXELS"] = static_cast<int>(geometry.points_of_an_item);

    const std::size_t row = points.row_length;
    if (keep_rows_apart(row, geometry.points_of_an_item, plan.points_per_block)) {
        geometry.row_length = row;
        plan.points_per_block = round_up(plan.points_per_block, row);
    }
    const std::size_t position = sources.has_off ? 10 : 6;
    const std::size_t source_bytes =
        round_up(position + 2 * plan.coils_per_bundle, 4) * number_bytes;
    const std::size_t sources_of_a_chunk =
        std::min(device.constant_bytes / source_bytes, value("CHUNK"));
    plan.sources_per_chunk =
        std::max<std::size_t>(1, sources_of_a_chunk / sources_of_a_run) * sources_of_a_run;

    const double rest = sources.largest_rest + points.largest_rest;
    geometry.defines = text(compiled.defines(), " -DROWS=", geometry.row_length > 0 ? 1 : 0,
                            " -DMIRROR=", mirror ? 1 : 0,
                            " -DSMALL_REST=", rest <= most_turns_of_a_small_rest ? 1 : 0,
                            device.type == "cpu" ? " -DUNROLL_POINTS=1" : "");
    return geometry;
}

} // namespace lsrecon::opencl
