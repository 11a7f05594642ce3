// Benchmarks each transform, the solver and a whole reconstruction, and checks their answers first.

#include "measure/benchmark.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/error.hpp"
#include "base/folders.hpp"
#include "base/machine.hpp"
#include "base/tolerance.hpp"
#include "encoding/encoding.hpp"
#include "encoding/least_squares.hpp"
#include "encoding/methods.hpp"
#include "encoding/solve.hpp"
#include "io/image/file.hpp"
#include "io/native/scan.hpp"
#include "measure/measure.hpp"
#include "reconstruct_file.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

double stone_operations(const std::string& stage, int dimensions) {
    const double sine = 13;
    const double cosine = 12;
    const double phase = 2 * dimensions;
    return sine + cosine + phase + (stage == "q" ? 4 : 8);
}

namespace {

// The ladder of transform variants: verified first, then timed.

constexpr MeasureEffort transform_effort{0.25, 5};

BenchmarkRow reference_row(const TransformCase& what) {
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = "reference";
    row.device = reference_transforms()->computed_by().device;
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

/// Runs on the points that the case checks, and scales the time, as the reference does.
BenchmarkRow single_precision_row(const TransformCase& what, Reporter& report) {
    const auto transforms = open_transforms({"reference-single", "", ""});
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = "reference-single";
    row.device = transforms->computed_by().device;
    row.scaled = what.reference_scaled;
    row.relative_error = error_at_checked(run_checked(*transforms, what, report).values, what);
    row.bound = tolerance::reference(largest_turns(what), what.sources(),
                                     transforms->computed_by().epsilon);
    if (row.verified()) {
        row.seconds = transforms->device().clock().seconds() * static_cast<double>(what.points()) /
                      static_cast<double>(what.checked.size());
        row.wall_seconds = row.seconds;
    }
    return row;
}

/// The row of a kernel; none where this device does not have the kernel.
std::optional<BenchmarkRow> kernel_row(const TransformCase& what, const std::string& kernel,
                                       const BenchmarkOptions& options, Reporter& report) {
    ComputeOptions of_backend{"opencl", options.device, kernel};
    of_backend.precision = options.precision;
    const auto transforms = open_transforms(of_backend);
    const Measurement measured = measure(*transforms, what, report, transform_effort);
    if (transforms->computed_by().kernel != kernel) {
        return std::nullopt;
    }
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = kernel;
    row.device = transforms->computed_by().device;
    row.precision = transforms->precision();
    row.parameters = transforms->computed_by().parameters;
    row.cost = transforms->cost_of_pair(what.stage);
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

/// Rows of "fhd", "q" or "f", without their limits; `add` gets each when it is done.
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
    {
        const Stage timing(report, stage + " reference-single");
        add_row(single_precision_row(what, report));
    }
    for (const std::string& kernel : options.kernels.empty() ? kernel_names() : options.kernels) {
        const Stage timing(report, stage + " " + kernel);
        if (std::optional<BenchmarkRow> row = kernel_row(what, kernel, options, report)) {
            add_row(std::move(*row));
        }
    }
}

// The solver and the whole reconstruction, from file to file, of a scan whose truth is known.

constexpr int iterations = 30; ///< number of iterations of the published figures
/// The smallest that the device keeps: a scan of any interest takes all iterations.
constexpr double solver_tolerance = 1e-5;
/// The loops run the whole reconstruction when it has no more pairs: some ten seconds.
constexpr double pairs_by_reference = 3e8;

/// Keeps the times of one run apart from those of the whole benchmark.
class OneRun : public Reporter {
public:
    explicit OneRun(Reporter& outer) : outer_(outer) {}
    void progress(double fraction) override { outer_.progress(fraction); }

protected:
    void on_finding(const Finding& finding) override { outer_.add(finding); }

private:
    Reporter& outer_;
};

/// Uniform random samples of the phantom's voxels: two a voxel determine every image, so that the
/// truth is what the reconstruction must find.
Simulation simulate_scan(const BenchmarkOptions& options, Transforms& transforms,
                         Reporter& report) {
    SimulationOptions simulation;
    simulation.design = "random";
    simulation.model = "voxels";
    TrajectoryOptions& trajectory = simulation.trajectory;
    trajectory.grid = grid_of(options.matrix);
    std::copy(options.matrix.begin(), options.matrix.end(), trajectory.grid.fov_mm.begin());
    trajectory.samples_per_readout = 1;
    trajectory.readouts =
        options.scan_samples > 0 ? options.scan_samples : 2 * trajectory.grid.voxels();
    trajectory.seed = options.seed;
    return simulate(
        simulation, [&]() -> Transforms& { return transforms; }, report);
}

/// Relative L2 error of the image that the bench accepts. Measured on phantoms of 8^2 to 64^2 and
/// 7x8x6 to 32^3: with two samples a voxel 0 to 0.008; with fewer, an image among many, 0.17 to
/// 0.34 for one a voxel and 0.79 to 0.86 for 1/5. An image of zeros has 1.
double image_bound(double samples, double voxels) {
    constexpr double determined = 0.02;
    return std::max(determined, std::sqrt(std::max(0.0, 1 - samples / (2 * voxels))));
}

ComplexVector as_vector(const std::vector<Complex>& values) {
    return Eigen::Map<const ComplexVector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// ||F^H d - T rho|| / ||F^H d|| with T rho in double precision, for any solver of rho.
double residual_of(const ComplexVector& rho, const Scan& scan, Transforms& transforms,
                   Reporter& report) {
    const Frame& frame = scan.frames.front();
    const Formulation formulation = formulate(scan);
    ImageSpace images(transforms.device(), formulation, scan.coil_maps);
    const Encoding encoding(transforms, images, *frame.trajectory);
    const NormalOperator n(encoding, [&](const Trajectory& trajectory) {
        return compute_q_in_stage(transforms, trajectory, scan.grid, report);
    });
    const ComplexVector b = encoding.adjoint(frame.samples).volumes.front().values();
    return (b - make_reference_system(n, SolveOptions()).system->apply(rho)).norm() / b.norm();
}

struct Run {
    double seconds = 0;
    std::vector<std::pair<std::string, double>> stage_seconds;
};

SolveOptions solving_by(const Solver& solver) {
    SolveOptions options;
    options.iterations = iterations;
    options.tolerance = solver_tolerance;
    options.solver = &solver;
    return options;
}

Run run_once(const TemporaryFolder& folder, Transforms& transforms, const SolveOptions& solve,
             Reporter& report) {
    FileOptions options;
    options.solve = solve;
    options.lambda_rule = RuleChoice(); // the lambda of these
    OneRun run(report);
    const auto start = std::chrono::steady_clock::now();
    reconstruct_file(folder.file("scan.h5"), folder.file("image.h5"), transforms, options, run);
    return {seconds_since(start), run.stage_seconds()};
}

double seconds_of(const Run& run, const std::string& stage) {
    for (const auto& [name, seconds] : run.stage_seconds) {
        if (name == stage) {
            return seconds;
        }
    }
    return 0;
}

/// The row of a whole run. Without a bound, it is that of a solved image.
ReconstructionRow row_of_run(const Transforms& transforms, const Simulation& simulation,
                             const Run& run, const ComplexVector& rho, double bound = 0) {
    ReconstructionRow row;
    row.stage = "recon";
    row.kernel = transforms.computed_by().kernel;
    row.device = transforms.computed_by().device;
    row.samples = simulation.scan.frames.front().trajectory->samples();
    row.stage_seconds = run.stage_seconds;
    row.relative_error = (rho - simulation.truth).norm() / simulation.truth.norm();
    row.bound =
        bound > 0 ? bound
                  : image_bound(static_cast<double>(row.samples), static_cast<double>(rho.size()));
    row.seconds = row.verified() ? run.seconds : 0;
    return row;
}

/// A row for the solver and one for the whole; the first run warms up.
std::vector<ReconstructionRow> rows_of(Transforms& transforms, const Simulation& simulation,
                                       const TemporaryFolder& folder, const Solver& solver,
                                       bool warm_up, Reporter& report) {
    if (warm_up) {
        run_once(folder, transforms, solving_by(solver), report);
    }
    const Run run = run_once(folder, transforms, solving_by(solver), report);
    const ImageData image = read_image(folder.file("image.h5"));
    const ComplexVector rho = as_vector(image.values);
    ReconstructionRow whole = row_of_run(transforms, simulation, run, rho);
    whole.iterations = image.residuals.size() - 1;

    ReconstructionRow solve = whole;
    solve.stage = "solve";
    OneRun quiet(report);
    solve.relative_error = residual_of(rho, simulation.scan, transforms, quiet);
    solve.bound = image.residuals.back() + tolerance::residual_drift(solve.iterations);
    solve.seconds = solve.verified() ? seconds_of(run, "solve") : 0;
    return {solve, whole};
}

/// The baseline of the literature: gridding by FFT on the CPU in double precision. Without a solver
/// the image is far from the phantom: measured 0.4 to 0.6 for two samples a voxel. None where
/// OpenCL has no CPU.
std::optional<ReconstructionRow> gridding_row(const Simulation& simulation,
                                              const TemporaryFolder& folder, Reporter& report) {
    constexpr double bound = 0.9; // an image of zeros has 1
    const std::vector<DeviceInfo> devices =
        kernel_names().empty() ? std::vector<DeviceInfo>() : list_devices();
    if (std::none_of(devices.begin(), devices.end(),
                     [](const DeviceInfo& device) { return device.type == "cpu"; })) {
        return std::nullopt;
    }
    ComputeOptions compute{"opencl", "cpu", "nufft"};
    compute.precision = Precision::float64;
    const auto transforms = open_transforms(compute);
    const Stage stage(report, "recon gridding");
    SolveOptions gridding;
    gridding.method = &method_named("gridding");
    run_once(folder, *transforms, gridding, report); // warms up
    const Run run = run_once(folder, *transforms, gridding, report);
    const ComplexVector rho = as_vector(read_image(folder.file("image.h5")).values);
    ReconstructionRow row = row_of_run(*transforms, simulation, run, rho, bound);
    row.kernel = "gridding";
    return row;
}

/// The number of pairs of the reconstruction: F^H d on every voxel and half of Q.
double pairs_of(const Scan& scan) {
    const double half_of_q = std::pow(2.0, scan.grid.dimensions) / 2;
    return (1 + half_of_q) * static_cast<double>(scan.grid.voxels()) *
           static_cast<double>(scan.frames.front().trajectory->samples());
}

/// `of_loops` holds some of the same stages.
void fill_speed_ups(std::vector<ReconstructionRow>& rows,
                    const std::vector<ReconstructionRow>& of_loops) {
    for (ReconstructionRow& row : rows) {
        for (const ReconstructionRow& of_loop : of_loops) {
            if (row.stage == of_loop.stage && row.seconds > 0) {
                row.speed_up = of_loop.seconds / row.seconds;
            }
        }
    }
}

/// The solver of the CPU, given F^H d and Q by the device: what is left of the loops' rows where
/// these would take too long.
ReconstructionRow solver_of_cpu(Transforms& device, const ComputedBy& loops,
                                const Simulation& simulation, const TemporaryFolder& folder,
                                Reporter& report) {
    ReconstructionRow row =
        rows_of(device, simulation, folder, solver_named("eigen"), false, report).front();
    row.kernel = loops.kernel;
    row.device = loops.device;
    return row;
}

/// Rows of those of "solve" and "recon" that the options name; one scan and one run serve both.
std::vector<ReconstructionRow> benchmark_reconstruction(const BenchmarkOptions& options,
                                                        Reporter& report) {
    const std::string kernel = options.kernels.size() == 1 ? options.kernels.front() : "";
    const auto loops = reference_transforms();
    const auto device =
        kernel_names().empty() ? nullptr : open_transforms({"opencl", options.device, kernel});
    const TemporaryFolder folder("bench");
    const Simulation simulation = simulate_scan(options, device ? *device : *loops, report);
    write_native_scan(folder.file("scan.h5"), simulation.scan);

    std::vector<ReconstructionRow> rows;
    if (pairs_of(simulation.scan) <= pairs_by_reference) {
        const Stage stage(report, "recon reference");
        rows = rows_of(*loops, simulation, folder, solver_named("eigen"), false, report);
    } else {
        report.add({Found::loops_not_measured});
        if (device) {
            const Stage stage(report, "solve reference");
            rows = {solver_of_cpu(*device, loops->computed_by(), simulation, folder, report)};
        }
    }
    fill_speed_ups(rows, std::vector(rows));
    if (device) {
        const Stage stage(report, "recon device");
        std::vector<ReconstructionRow> of_device =
            rows_of(*device, simulation, folder, solvers().front(), true, report);
        fill_speed_ups(of_device, rows);
        rows.insert(rows.end(), of_device.begin(), of_device.end());
    }
    if (std::optional<ReconstructionRow> row = gridding_row(simulation, folder, report)) {
        std::vector<ReconstructionRow> of_gridding{std::move(*row)};
        fill_speed_ups(of_gridding, rows);
        rows.insert(rows.begin(), std::move(of_gridding.front()));
    }
    const auto not_wanted = [&](const ReconstructionRow& row) {
        return std::find(options.stages.begin(), options.stages.end(), row.stage) ==
               options.stages.end();
    };
    rows.erase(std::remove_if(rows.begin(), rows.end(), not_wanted), rows.end());
    return rows;
}

// The smallest size at which the device is faster than the loops, with everything that it costs to
// get there.

constexpr std::array<std::size_t, 6> widths{2, 4, 8, 16, 32, 64};
const MeasureEffort crossover_effort{0.1};

std::vector<CrossoverRow> benchmark_crossover(const BenchmarkOptions& options, Reporter& report) {
    const Stage stage(report, "crossover");
    const auto reference = reference_transforms();
    const auto device = open_transforms({"opencl", options.device, ""});
    std::vector<CrossoverRow> rows;
    for (const std::size_t width : widths) {
        const TransformCase what =
            make_transform_case("fhd", {width, width}, width * width, options.seed, report);
        const Measurement measured = measure(*device, what, report, crossover_effort);
        CrossoverRow row;
        row.width = width;
        row.pairs = what.pairs;
        row.relative_error = measured.relative_error;
        row.bound = measured.bound;
        row.device_seconds = measured.wall_seconds;
        row.reference_seconds = time_case(*reference, what, report, crossover_effort).wall;
        rows.push_back(row);
    }
    return rows;
}

constexpr std::size_t samples_of_a_cpu = 256;
constexpr std::size_t samples_of_a_gpu = 4096;
/// The number of further measurements for a row above its limit. The limit can only be too low on a
/// busy machine.
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

std::vector<NufftCase> nufft_cases_of(const BenchmarkOptions& request) {
    std::vector<NufftCase> cases = nufft_cases();
    if (!request.matrix.empty()) {
        const NufftCase& like = cases[request.matrix.size() == 2 ? 0 : 1];
        cases = {{request.matrix, 0, like.coils}};
    }
    for (NufftCase& what : cases) {
        what.samples = request.samples > 0 ? request.samples : what.samples;
        what.coils = request.coils > 0 ? request.coils : what.coils;
    }
    return cases;
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

std::optional<double> crossover_pairs(const std::vector<CrossoverRow>& rows) {
    const auto log_speed_up = [](const CrossoverRow& row) {
        return std::log(row.reference_seconds / row.device_seconds);
    };
    // The last size that the loops win: noise may let the device win a smaller one.
    for (std::size_t i = rows.size(); i-- > 0;) {
        const double gain = log_speed_up(rows[i]);
        if (!(gain > 0)) {
            if (i + 1 == rows.size()) {
                return std::nullopt;
            }
            const double share = gain / (gain - log_speed_up(rows[i + 1]));
            return rows[i].pairs * std::pow(rows[i + 1].pairs / rows[i].pairs, share);
        }
    }
    return std::nullopt;
}

Benchmark benchmark(const BenchmarkOptions& request, Reporter& report,
                    const std::function<void(const Benchmark&)>& keep) {
    const bool has_device = !kernel_names().empty();
    BenchmarkOptions options = request;
    if (options.matrix.empty()) {
        options.matrix = {32, 32, 32};
    }
    if (options.samples == 0) {
        options.samples = has_device ? samples_for(options.device) : samples_of_a_cpu;
    }
    const auto wanted = [&](const std::string& stage) {
        return std::find(options.stages.begin(), options.stages.end(), stage) !=
               options.stages.end();
    };
    Benchmark table;
    table.matrix = options.matrix;
    table.samples = options.samples;
    std::unique_ptr<RateMeter> meter;
    if (has_device) {
        table.device = open_transforms({"opencl", options.device, ""})->computed_by();
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
    if (wanted("nufft") && has_device) {
        for (const NufftCase& what : nufft_cases_of(request)) {
            benchmark_nufft(what, options.accuracies, options.device, table.rates, report,
                            [&](NufftRow&& row) {
                                table.nufft.push_back(std::move(row));
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
