// From which size on the device is faster than the loops, with all that it costs to get there.

#include <array>
#include <cmath>

#include "measure/benchmark_parts.hpp"
#include "measure/measure.hpp"

namespace lsrecon {

namespace {

constexpr std::array<std::size_t, 6> widths{2, 4, 8, 16, 32, 64};
const MeasureEffort effort{0.1};

} // namespace

std::vector<CrossoverRow> benchmark_crossover(const BenchmarkOptions& options, Reporter& report) {
    const Stage stage(report, "crossover");
    const auto reference = make_backend({"reference", "", ""});
    const auto device = make_backend({"opencl", options.device, ""});
    std::vector<CrossoverRow> rows;
    for (const std::size_t width : widths) {
        const TransformCase what =
            make_transform_case("fhd", {width, width}, width * width, options.seed, report);
        const Measurement measured = measure(*device, what, report, effort);
        CrossoverRow row;
        row.width = width;
        row.pairs = what.pairs;
        row.relative_error = measured.relative_error;
        row.bound = measured.bound;
        row.device_seconds = measured.wall_seconds;
        row.reference_seconds = time_case(*reference, what, report, effort).wall;
        rows.push_back(row);
    }
    return rows;
}

std::optional<double> crossover_pairs(const std::vector<CrossoverRow>& rows) {
    const auto log_speed_up = [](const CrossoverRow& row) {
        return std::log(row.reference_seconds / row.device_seconds);
    };
    // The last size that the loops win: noise may let the device win a smaller one.
    for (std::size_t i = rows.size(); i-- > 0;) {
        const double here = log_speed_up(rows[i]);
        if (!(here > 0)) {
            if (i + 1 == rows.size()) {
                return std::nullopt;
            }
            const double share = here / (here - log_speed_up(rows[i + 1]));
            return rows[i].pairs * std::pow(rows[i + 1].pairs / rows[i].pairs, share);
        }
    }
    return std::nullopt;
}

} // namespace lsrecon
