// The table of one machine, part by part.

#include "measure/benchmark.hpp"

#include <algorithm>

#include "measure/benchmark_limits.hpp"
#include "measure/benchmark_parts.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t samples_of_a_cpu = 256;
constexpr std::size_t samples_of_a_gpu = 4096;
/// For a row above its limit, which can only be too low: on a busy machine.
constexpr int more_measurements = 20;

void fill_limits(std::vector<BenchmarkRow>& rows, const DeviceRates& rates) {
    for (BenchmarkRow& row : rows) {
        // Rates are known of floats, and of matrix units, which have doubles.
        const bool in_floats = row.precision == Precision::float32;
        Limit limit = limit_of(row.cost, row.stage, rates);
        if (!in_floats && limit.unit != matrix_unit.name) {
            limit = {};
        }
        row.limit = limit.pairs_per_second;
        row.limited_by = limit.unit;
    }
}

std::size_t samples_for(const std::string& device) {
    const std::vector<DeviceInfo> devices = list_devices();
    const auto chosen = static_cast<std::size_t>(choose_device(devices, device));
    return devices[chosen].type == "cpu" ? samples_of_a_cpu : samples_of_a_gpu;
}

/// Takes the rates between the rows, so that both see the same clock and the same neighbours.
void add_limits(Benchmark& table, RateMeter& meter) {
    const BenchmarkRow& last = table.transforms.back();
    fill_limits(table.transforms, table.rates);
    for (int n = 0; last.limit > 0 && n < (last.fraction_of_limit() > 1 ? more_measurements : 1);
         ++n) {
        table.rates = meter.measure();
        fill_limits(table.transforms, table.rates);
    }
}

} // namespace

Benchmark benchmark(const BenchmarkOptions& asked, Reporter& report,
                    const std::function<void(const Benchmark&)>& keep) {
    const bool has_device = !kernel_names().empty();
    BenchmarkOptions options = asked;
    if (options.samples == 0) {
        options.samples = has_device ? samples_for(options.device) : samples_of_a_cpu;
    }
    const auto wanted = [&](const std::string& stage) {
        return std::find(options.stages.begin(), options.stages.end(), stage) !=
               options.stages.end();
    };
    Benchmark table;
    table.samples = options.samples;
    std::unique_ptr<RateMeter> meter;
    if (has_device) {
        table.device = make_backend({"opencl", options.device, ""})->info();
        const Stage stage(report, "limits");
        meter = make_rate_meter(options.device);
        table.rates = meter->measure();
        keep(table);
    }
    for (const std::string stage : {"fhd", "q", "f"}) {
        if (wanted(stage)) {
            benchmark_transform(stage, options, report, [&](BenchmarkRow&& row) {
                table.transforms.push_back(std::move(row));
                if (meter) {
                    add_limits(table, *meter);
                }
                keep(table);
            });
        }
    }
    if (wanted("solve") || wanted("recon")) {
        table.reconstructions = benchmark_reconstruction(options, report);
        keep(table);
    }
    if (wanted("crossover") && has_device) {
        table.crossover = benchmark_crossover(options, report);
        keep(table);
    }
    return table;
}

} // namespace lsrecon
