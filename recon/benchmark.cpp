// The table of one machine, part by part.

#include "benchmark.hpp"

#include <algorithm>

#include "benchmark_parts.hpp"

namespace lsrecon {

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
    for (const std::string stage : {"fhd", "q"}) {
        if (wanted(stage)) {
            for (BenchmarkRow& row : benchmark_transform(stage, options, table.rates, report)) {
                table.transforms.push_back(std::move(row));
            }
        }
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
