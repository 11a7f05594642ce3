// The ladder of transform variants on one machine: verified first, then timed.

#include "benchmark.hpp"

#include "backend/devices.hpp"
#include "measure.hpp"

namespace lsrecon {

double stone_operations(const std::string& stage, int dimensions) {
    const double sine = 13;
    const double cosine = 12;
    const double phase = 2 * dimensions;
    return sine + cosine + phase + (stage == "q" ? 4 : 8);
}

namespace {

BenchmarkRow reference_row(const TransformCase& what) {
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = "reference";
    row.device = make_backend({"reference", "", ""})->info().device;
    row.seconds = what.reference_seconds;
    row.scaled = what.reference_scaled;
    return row;
}

BenchmarkRow kernel_row(const TransformCase& what, const std::string& kernel,
                        const std::string& device, Reporter& report) {
    const auto backend = make_backend({"opencl", device, kernel});
    const Measurement measured = measure(*backend, what, report);
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = kernel;
    row.device = backend->info().device;
    row.bound = measured.bound;
    row.relative_error = measured.relative_error;
    row.seconds = measured.seconds;
    return row;
}

void fill_rates(BenchmarkRow& row, const TransformCase& what) {
    if (row.seconds > 0) {
        row.pairs_per_second = what.pairs / row.seconds;
        row.gflops =
            1e-9 * row.pairs_per_second * stone_operations(what.stage, what.grid.dimensions);
        row.speed_up = what.reference_seconds / row.seconds;
    }
}

} // namespace

std::vector<BenchmarkRow> benchmark(const BenchmarkOptions& options, Reporter& report) {
    std::vector<std::string> kernels = options.kernels.empty() ? kernel_names() : options.kernels;
    std::vector<BenchmarkRow> rows;
    for (const std::string& stage : options.stages) {
        const TransformCase what = [&] {
            const Stage reference(report, stage + " reference");
            return make_transform_case(stage, options.matrix, options.samples, options.seed,
                                       report);
        }();
        rows.push_back(reference_row(what));
        fill_rates(rows.back(), what);
        for (const std::string& kernel : kernels) {
            const Stage timing(report, stage + " " + kernel);
            rows.push_back(kernel_row(what, kernel, options.device, report));
            fill_rates(rows.back(), what);
        }
    }
    return rows;
}

} // namespace lsrecon
