// The table of one machine, part by part.

#include "benchmark.hpp"

#include <algorithm>

#include "benchmark_limits.hpp"
#include "benchmark_parts.hpp"

namespace lsrecon {

namespace {

/// A machine that is busy, or a clock that is still rising, shows less than the device can do.
DeviceRates larger(const DeviceRates& a, const DeviceRates& b) {
    return {std::max(a.multiply_adds, b.multiply_adds), std::max(a.native_pairs, b.native_pairs),
            std::max(a.library_pairs, b.library_pairs),
            std::max(a.matrix_multiply_adds, b.matrix_multiply_adds)};
}

void fill_limits(std::vector<BenchmarkRow>& rows, const DeviceRates& rates) {
    for (BenchmarkRow& row : rows) {
        const Limit limit = limit_of(row.kernel, row.stage, rates, row.parameters);
        row.limit = limit.pairs_per_second;
        row.limited_by = limit.unit;
    }
}

} // namespace

Benchmark benchmark(const BenchmarkOptions& options, Reporter& report) {
    const auto wanted = [&](const std::string& stage) {
        return std::find(options.stages.begin(), options.stages.end(), stage) !=
               options.stages.end();
    };
    Benchmark table;
    if (!kernel_names().empty()) {
        table.device = make_backend({"opencl", options.device, ""})->info();
        const Stage stage(report, "limits");
        table.rates = measure_rates(options.device);
    }
    for (const std::string stage : {"fhd", "q", "f"}) {
        if (wanted(stage)) {
            for (BenchmarkRow& row : benchmark_transform(stage, options, report)) {
                table.transforms.push_back(std::move(row));
            }
        }
    }
    if (!table.transforms.empty() && !kernel_names().empty()) {
        const Stage stage(report, "limits");
        table.rates = larger(table.rates, measure_rates(options.device));
        fill_limits(table.transforms, table.rates);
    }
    if (wanted("solve") || wanted("recon")) {
        table.reconstructions = benchmark_reconstruction(options, report);
    }
    if (wanted("crossover") && !kernel_names().empty()) {
        table.crossover = benchmark_crossover(options, report);
    }
    return table;
}

} // namespace lsrecon
