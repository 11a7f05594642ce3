// The solver and the whole reconstruction, from file to file, of a scan whose truth is known.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/timer.hpp"
#include "base/tolerance.hpp"
#include "io/image/file.hpp"
#include "io/native/writer.hpp"
#include "measure/benchmark_parts.hpp"
#include "plan/plan.hpp"
#include "reconstruct.hpp"
#include "scan/simulate.hpp"
#include "solve/normal_equations.hpp"
#include "solve/solvers.hpp"

namespace lsrecon {

namespace {

constexpr int iterations = 30; ///< as the published figures have
/// The smallest that the device keeps: a scan of any interest takes all iterations.
constexpr double solver_tolerance = 1e-5;
/// The loops run the whole reconstruction when it has no more pairs: some ten seconds.
constexpr double reference_pairs = 3e8;

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "lsrecon-bench-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            throw UsageError(text(name, ": cannot be made\n  next:     let TMPDIR name a folder "
                                        "that can be written"));
        }
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

/// Keeps the times of one run apart from those of the whole benchmark.
class OneRun : public Reporter {
public:
    explicit OneRun(Reporter& outer) : outer_(outer) {}
    void progress(double fraction) override { outer_.progress(fraction); }

protected:
    void on_note(const std::string& message) override { outer_.note(message); }

private:
    Reporter& outer_;
};

/// Uniform random samples of the phantom's voxels: two a voxel determine every image, so that the
/// truth is what the reconstruction must find.
Simulation simulate_scan(const BenchmarkOptions& options, Backend& backend, Reporter& report) {
    SimulationOptions simulation;
    simulation.trajectory = "random";
    simulation.model = "voxels";
    TrajectoryOptions& sampling = simulation.sampling;
    sampling.grid.dimensions = static_cast<int>(options.matrix.size());
    std::copy(options.matrix.begin(), options.matrix.end(), sampling.grid.size.begin());
    sampling.samples_per_readout = 1;
    sampling.readouts =
        options.scan_samples > 0 ? options.scan_samples : 2 * sampling.grid.voxels();
    sampling.seed = options.seed;
    return simulate(
        simulation,
        [&](const SamplePoints& points, const CoilMatrix& rho, const Voxels& voxels) {
            return forward_on_host(backend, points, rho, voxels,
                                   [&](double fraction) { report.progress(fraction); })
                .values;
        },
        report);
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
double residual_of(const ComplexVector& rho, const Scan& scan, Backend& backend, Reporter& report) {
    const Frame& frame = scan.frames.front();
    const Plan plan = make_plan(scan);
    FrameEquations equations({backend, plan, scan.coil_maps, 0, [&](const Sampling& sampling) {
                                  return compute_q(backend, sampling, scan.grid, report);
                              }});
    NormalEquations& of_frame = equations.of(frame.sampling);
    const ComplexVector b = of_frame.fhd(frame.samples, report).front().values();
    return (b - of_frame.on_reference().apply(rho)).norm() / b.norm();
}

struct Run {
    double seconds = 0;
    std::vector<std::pair<std::string, double>> stage_seconds;
};

Run run_once(const TemporaryFolder& folder, Backend& backend, const Solver& solver,
             Reporter& report) {
    ReconstructOptions options;
    options.solve.lambda = 0;
    options.solve.iterations = iterations;
    options.solve.tolerance = solver_tolerance;
    options.solve.solver = &solver;
    OneRun run(report);
    const auto start = std::chrono::steady_clock::now();
    reconstruct(folder.file("scan.h5"), folder.file("image.h5"), backend, options, run);
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

/// A row for the solver and one for the whole; the first run warms up.
std::vector<ReconstructionRow> rows_of(Backend& backend, const Simulation& simulation,
                                       const TemporaryFolder& folder, const Solver& solver,
                                       bool warm_up, Reporter& report) {
    if (warm_up) {
        run_once(folder, backend, solver, report);
    }
    const Run run = run_once(folder, backend, solver, report);
    const ImageData image = read_image(folder.file("image.h5"));
    const ComplexVector rho = as_vector(image.values);
    ReconstructionRow row;
    row.kernel = backend.info().kernel;
    row.device = backend.info().device;
    row.samples = simulation.scan.frames.front().sampling->samples();
    row.iterations = image.residuals.size() - 1;
    row.stage_seconds = run.stage_seconds;

    ReconstructionRow solve = row;
    solve.stage = "solve";
    OneRun quiet(report);
    solve.relative_error = residual_of(rho, simulation.scan, backend, quiet);
    solve.bound = image.residuals.back() + tolerance::residual_drift(row.iterations);
    solve.seconds = solve.verified() ? seconds_of(run, "solve") : 0;

    row.stage = "recon";
    row.relative_error = (rho - simulation.truth).norm() / simulation.truth.norm();
    row.bound = image_bound(static_cast<double>(row.samples), static_cast<double>(rho.size()));
    row.seconds = row.verified() ? run.seconds : 0;
    return {solve, row};
}

/// Of the reconstruction: F^H d on every voxel and half of Q.
double pairs_of(const Scan& scan) {
    const double half_of_q = std::pow(2.0, scan.grid.dimensions) / 2;
    return (1 + half_of_q) * static_cast<double>(scan.grid.voxels()) *
           static_cast<double>(scan.frames.front().sampling->samples());
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
ReconstructionRow solver_of_cpu(Backend& device, const BackendInfo& loops,
                                const Simulation& simulation, const TemporaryFolder& folder,
                                Reporter& report) {
    ReconstructionRow row =
        rows_of(device, simulation, folder, solver_named("eigen"), false, report).front();
    row.kernel = loops.kernel;
    row.device = loops.device;
    return row;
}

} // namespace

std::vector<ReconstructionRow> benchmark_reconstruction(const BenchmarkOptions& options,
                                                        Reporter& report) {
    const std::string kernel = options.kernels.size() == 1 ? options.kernels.front() : "";
    const auto loops = make_backend({"reference", "", ""});
    const auto device =
        kernel_names().empty() ? nullptr : make_backend({"opencl", options.device, kernel});
    const TemporaryFolder folder;
    const Simulation simulation = simulate_scan(options, device ? *device : *loops, report);
    write_native_scan(folder.file("scan.h5"), simulation.scan);

    std::vector<ReconstructionRow> rows;
    if (pairs_of(simulation.scan) <= reference_pairs) {
        const Stage stage(report, "recon reference");
        rows = rows_of(*loops, simulation, folder, solver_named("eigen"), false, report);
    } else {
        report.note("recon: the loops of the CPU are left out, they would take minutes; a smaller "
                    "--matrix or --scan-samples shows them");
        if (device) {
            const Stage stage(report, "solve reference");
            rows = {solver_of_cpu(*device, loops->info(), simulation, folder, report)};
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
    const auto not_wanted = [&](const ReconstructionRow& row) {
        return std::find(options.stages.begin(), options.stages.end(), row.stage) ==
               options.stages.end();
    };
    rows.erase(std::remove_if(rows.begin(), rows.end(), not_wanted), rows.end());
    return rows;
}

} // namespace lsrecon
