// The ladder of transform variants on one machine: verified first, then timed.

#include "benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "backend/devices.hpp"
#include "base/timer.hpp"
#include "base/tolerance.hpp"

namespace lsrecon {

double stone_operations(const std::string& stage, int dimensions) {
    const double sine = 13;
    const double cosine = 12;
    const double phase = 2 * dimensions;
    return sine + cosine + phase + (stage == "q" ? 4 : 8);
}

namespace {

/// What a stage works on: the same for every kernel.
struct Case {
    std::string stage;
    Grid grid;
    std::vector<Vec3> trajectory;
    CoilMatrix values; // mu of FHd, weights of Q
    Voxels voxels;
    std::vector<std::size_t> checked; // voxels that the reference computes
    CoilMatrix exact; // there
    double pairs = 0; // counted
};

/// The reference computes at least this many voxels, and more until it has worked this long.
constexpr std::size_t fewest_checked = 32;
constexpr double reference_pairs = 5e7;
/// A kernel is timed again until both are reached; one run that computes for longer is enough.
constexpr double seconds_to_time = 1.0;
constexpr std::size_t fewest_runs = 5;

CoilMatrix run(Backend& backend, const Case& what, const Voxels& voxels, Reporter& report) {
    const Progress progress = [&](double fraction) { report.progress(fraction); };
    if (what.stage == "q") {
        const RealVector weights = what.values.row(0).real().transpose();
        return backend.q(what.trajectory, weights, voxels, progress).transpose();
    }
    return backend.fhd(what.trajectory, what.values, voxels, progress);
}

Grid grid_of(const std::vector<std::size_t>& matrix) {
    Grid grid;
    grid.dimensions = static_cast<int>(matrix.size());
    std::copy(matrix.begin(), matrix.end(), grid.size.begin());
    return grid;
}

Case make_case(const std::string& stage, const BenchmarkOptions& options) {
    Case what;
    what.stage = stage;
    what.grid = grid_of(options.matrix);
    std::mt19937_64 random(options.seed);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    what.trajectory.resize(options.samples, Vec3{0, 0, 0});
    what.values.resize(1, static_cast<Eigen::Index>(options.samples));
    for (std::size_t m = 0; m < options.samples; ++m) {
        for (std::size_t d = 0; d < options.matrix.size(); ++d) {
            what.trajectory[m][d] = uniform(random) * static_cast<double>(options.matrix[d]);
        }
        const Complex mu(uniform(random), uniform(random));
        what.values(0, static_cast<Eigen::Index>(m)) = stage == "q" ? Complex(std::abs(mu)) : mu;
    }
    what.voxels = stage == "q" ? Voxels::half_differences(what.grid) : Voxels::of_grid(what.grid);
    const double counted = stage == "q" ? std::pow(2.0, what.grid.dimensions) : 1.0;
    what.pairs =
        counted * static_cast<double>(what.grid.voxels()) * static_cast<double>(options.samples);
    const std::size_t count = what.voxels.count();
    const auto affordable = static_cast<std::size_t>(
        reference_pairs / static_cast<double>(std::max<std::size_t>(1, options.samples)));
    const std::size_t checked = std::min(count, std::max(fewest_checked, affordable));
    for (std::size_t i = 0; i < checked; ++i) {
        what.checked.push_back(random() % count);
    }
    return what;
}

BenchmarkRow reference_row(Case& what, Reporter& report) {
    const auto backend = make_backend({"reference", "", ""});
    what.exact = run(*backend, what, what.voxels.subset(what.checked), report);
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = "reference";
    row.device = backend->info().device;
    row.seconds = backend->compute_seconds() * static_cast<double>(what.voxels.count()) /
                  static_cast<double>(what.checked.size());
    row.scaled = what.checked.size() < what.voxels.count();
    row.speed_up = 1;
    return row;
}

double error_of(const CoilMatrix& computed, const Case& what) {
    CoilMatrix at(1, static_cast<Eigen::Index>(what.checked.size()));
    for (std::size_t i = 0; i < what.checked.size(); ++i) {
        at(0, static_cast<Eigen::Index>(i)) =
            computed(0, static_cast<Eigen::Index>(what.checked[i]));
    }
    return (at - what.exact).norm() / what.exact.norm();
}

BenchmarkRow kernel_row(const Case& what, const std::string& kernel, const std::string& device,
                        Reporter& report) {
    const auto backend = make_backend({"opencl", device, kernel});
    BenchmarkRow row;
    row.stage = what.stage;
    row.kernel = kernel;
    row.device = backend->info().device;
    row.bound = tolerance::direct_transform(kernel, what.trajectory.size());
    row.relative_error = error_of(run(*backend, what, what.voxels, report), what);
    if (!row.verified()) {
        return row;
    }
    std::vector<double> times{backend->compute_seconds()};
    if (times.front() < seconds_to_time) {
        times.clear(); // the first run warmed up; it is timed only when it is too long to repeat
        const auto start = std::chrono::steady_clock::now();
        while (times.size() < fewest_runs || seconds_since(start) < seconds_to_time) {
            run(*backend, what, what.voxels, report);
            times.push_back(backend->compute_seconds());
        }
    }
    std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2),
                     times.end());
    row.seconds = times[times.size() / 2];
    return row;
}

void fill_rates(BenchmarkRow& row, const Case& what, double reference_seconds) {
    if (row.seconds > 0) {
        row.pairs_per_second = what.pairs / row.seconds;
        row.gflops =
            1e-9 * row.pairs_per_second * stone_operations(what.stage, what.grid.dimensions);
        row.speed_up = reference_seconds / row.seconds;
    }
}

} // namespace

std::vector<BenchmarkRow> benchmark(const BenchmarkOptions& options, Reporter& report) {
    std::vector<std::string> kernels = options.kernels.empty() ? kernel_names() : options.kernels;
    std::vector<BenchmarkRow> rows;
    for (const std::string& stage : options.stages) {
        Case what = make_case(stage, options);
        BenchmarkRow first;
        {
            const Stage reference(report, stage + " reference");
            first = reference_row(what, report);
        }
        fill_rates(first, what, first.seconds);
        rows.push_back(first);
        for (const std::string& kernel : kernels) {
            const Stage timing(report, stage + " " + kernel);
            rows.push_back(kernel_row(what, kernel, options.device, report));
            fill_rates(rows.back(), what, first.seconds);
        }
    }
    return rows;
}

} // namespace lsrecon
