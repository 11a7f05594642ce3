// The ladder of transform variants: verified first, then timed.

#include "base/tolerance.hpp"
#include "measure/benchmark_limits.hpp"
#include "measure/benchmark_parts.hpp"
#include "measure/measure.hpp"

namespace lsrecon {

namespace {

constexpr MeasureEffort effort{0.25, 5};

BenchmarkRow reference_row(const TransformCase& what) {
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = "reference";
    row.device = make_backend({"reference", "", ""})->info().device;
    row.seconds = what.reference_seconds;
    row.wall_seconds = row.seconds;
    row.scaled = what.reference_scaled;
    return row;
}

/// Phase in turns that no sample and voxel exceed.
double largest_turns(const TransformCase& what) {
    double turns = 0;
    for (int d = 0; d < what.grid.dimensions; ++d) {
        turns += static_cast<double>(what.grid.size[static_cast<std::size_t>(d)]) / 2 *
                 (what.stage == "q" ? 1.0 : 0.5); // differences are twice as far
    }
    return turns;
}

/// On the points that the case checks, and scaled, as the reference is.
BenchmarkRow single_precision_row(const TransformCase& what, Reporter& report) {
    const auto backend = make_backend({"reference-single", "", ""});
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = "reference-single";
    row.device = backend->info().device;
    row.scaled = what.reference_scaled;
    row.relative_error = error_at_checked(run_checked(*backend, what, report).values, what);
    row.bound = tolerance::reference(largest_turns(what), what.sources(), backend->info().epsilon);
    if (row.verified()) {
        row.seconds = backend->compute_seconds() * static_cast<double>(what.points()) /
                      static_cast<double>(what.checked.size());
        row.wall_seconds = row.seconds;
    }
    return row;
}

BenchmarkRow kernel_row(const TransformCase& what, const std::string& kernel,
                        const BenchmarkOptions& options, Reporter& report) {
    BackendOptions of_backend{"opencl", options.device, kernel};
    of_backend.precision = options.precision;
    const auto backend = make_backend(of_backend);
    const Measurement measured = measure(*backend, what, report, effort);
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = kernel;
    row.device = backend->info().device;
    row.precision = backend->precision();
    row.parameters = backend->info().parameters;
    row.cost = backend->cost_of_pair(what.stage);
    row.bound = measured.bound;
    row.relative_error = measured.relative_error;
    row.seconds = measured.seconds;
    row.wall_seconds = measured.wall_seconds;
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

void benchmark_transform(const std::string& stage, const BenchmarkOptions& options,
                         Reporter& report, const std::function<void(BenchmarkRow&&)>& add) {
    const TransformCase what = [&] {
        const Stage reference(report, stage + " reference");
        return make_transform_case(stage, options.matrix, options.samples, options.seed, report);
    }();
    const auto add_row = [&](BenchmarkRow row) {
        fill_rates(row, what);
        add(std::move(row));
    };
    add_row(reference_row(what));
    const auto timed = [&](const std::string& name, const std::function<BenchmarkRow()>& row_of) {
        const Stage timing(report, stage + " " + name);
        return row_of();
    };
    add_row(timed("reference-single", [&] { return single_precision_row(what, report); }));
    for (const std::string& kernel : options.kernels.empty() ? kernel_names() : options.kernels) {
        add_row(timed(kernel, [&] { return kernel_row(what, kernel, options, report); }));
    }
}

} // namespace lsrecon
