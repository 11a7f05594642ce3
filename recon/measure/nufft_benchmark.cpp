#include "measure/nufft_benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>

#include "base/machine.hpp"
#include "engines/exact_sums.hpp"
#include "simulate/trajectories.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t checked_points = 32;
constexpr std::size_t most_turns = 10;
constexpr double enough_seconds = 2; // after which no turn begins

double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// A transform with random values, and its exact results at some voxels or samples.
struct Problem {
    std::string transform;
    Grid grid;
    std::vector<Vec3> trajectory;
    Voxels voxels;
    std::size_t coils;
    CoilMatrix values; ///< a row a coil
    std::vector<std::size_t> checked;
    CoilMatrix exact; ///< a row a coil, at the checked points

    std::size_t points() const {
        return transform == "forward" ? trajectory.size() : voxels.count();
    }
    std::string stage() const {
        return transform == "adjoint" ? "fhd" : transform == "forward" ? "f" : "q";
    }
    Element element() const { return {transform != "q", Precision::float32}; }
};

std::vector<Vec3> radial_samples(const Grid& grid, std::size_t samples) {
    TrajectoryOptions options;
    options.grid = grid;
    const std::size_t widest = *std::max_element(grid.size.begin(), grid.size.end());
    options.samples_per_readout = grid.dimensions == 2 ? 2 * widest : widest;
    options.readouts = samples / options.samples_per_readout;
    if (samples > 0 && options.readouts == 0) {
        options.readouts = 1;
        options.samples_per_readout = samples;
    }
    return make_trajectory(grid.dimensions == 2 ? "radial" : "radial-3d", options);
}

/// sum_n rho_n exp(-i 2 pi k x_n)
Complex sum_over_voxels(const Grid& grid, const Vec3& k, const Complex* rho) {
    std::array<ComplexVector, 3> phases;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto size = static_cast<double>(grid.size[d]);
        phases[d].resize(static_cast<Eigen::Index>(grid.size[d]));
        for (std::size_t n = 0; n < grid.size[d]; ++n) {
            const double x = static_cast<double>(n) - static_cast<double>(grid.size[d] / 2);
            phases[d](static_cast<Eigen::Index>(n)) = std::polar(1.0, -2 * pi * k[d] * x / size);
        }
    }
    Complex sum = 0;
    for (Eigen::Index z = 0; z < phases[2].size(); ++z) {
        for (Eigen::Index y = 0; y < phases[1].size(); ++y) {
            const Eigen::Map<const ComplexVector> row(
                rho + (z * phases[1].size() + y) * phases[0].size(), phases[0].size());
            sum += phases[2](z) * phases[1](y) * row.cwiseProduct(phases[0]).sum();
        }
    }
    return sum;
}

Problem make_problem(const std::string& transform, const NufftCase& what) {
    Problem problem;
    problem.transform = transform;
    problem.grid = grid_of(what.matrix);
    problem.trajectory = radial_samples(problem.grid, what.samples);
    problem.voxels =
        transform == "q" ? Voxels::half_differences(problem.grid) : Voxels::of_grid(problem.grid);
    problem.coils = transform == "q" ? 1 : what.coils;
    const std::size_t sources =
        transform == "forward" ? problem.voxels.count() : problem.trajectory.size();
    std::mt19937_64 random(1);
    std::uniform_real_distribution<float> uniform(-0.5F, 0.5F); // as arrays hold it
    problem.values.resize(static_cast<Eigen::Index>(problem.coils),
                          static_cast<Eigen::Index>(sources));
    for (Complex& value : problem.values.reshaped()) {
        value = transform == "q" ? Complex(uniform(random) + 0.5F)
                                 : Complex(uniform(random), uniform(random));
    }
    for (std::size_t i = 0; i < std::min(checked_points, problem.points()); ++i) {
        problem.checked.push_back(random() % problem.points());
    }
    if (transform != "forward") {
        problem.exact = exact_adjoint(
            problem.trajectory, problem.coils,
            [&](std::size_t c, std::size_t m) {
                return problem.values(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(m));
            },
            problem.voxels.subset(problem.checked));
        return problem;
    }
    problem.exact.resize(problem.values.rows(), static_cast<Eigen::Index>(problem.checked.size()));
    for (Eigen::Index c = 0; c < problem.exact.rows(); ++c) {
        for (Eigen::Index i = 0; i < problem.exact.cols(); ++i) {
            const Vec3& k = problem.trajectory[problem.checked[static_cast<std::size_t>(i)]];
            problem.exact(c, i) = sum_over_voxels(problem.grid, k, &problem.values(c, 0));
        }
    }
    return problem;
}

/// Waits for what is queued, and gives the results at the checked points.
CoilMatrix results_at(const Problem& problem, Device& device, const Array& out) {
    CoilMatrix found(problem.exact.rows(), problem.exact.cols());
    for (Eigen::Index c = 0; c < found.rows(); ++c) {
        for (Eigen::Index i = 0; i < found.cols(); ++i) {
            found(c, i) = device.download(out,
                                          static_cast<std::size_t>(c) * problem.points() +
                                              problem.checked[static_cast<std::size_t>(i)],
                                          1)(0);
        }
    }
    return found;
}

/// Bytes of memory that vectors of a device move in a second.
double bandwidth_of(Device& device) {
    constexpr std::size_t count = std::size_t(1) << 24;
    Array x = device.zeros(count, {true, Precision::float32});
    Array y = device.zeros(count, {true, Precision::float32});
    double least = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < 5; ++turn) {
        const auto start = std::chrono::steady_clock::now();
        device.combine(1, x, 1, y);
        device.download(y, 0, 1);
        least = std::min(least, seconds_since(start));
    }
    return 3 * static_cast<double>(count * x.element().bytes()) / least;
}

/// What a device does in a second.
struct Limits {
    double bytes;
    double multiply_adds;
};

NufftRow measured_row(const Problem& problem, double accuracy, const ComputeOptions& of_device,
                      const std::shared_ptr<Device>& opened, const Limits& limits) {
    ComputeOptions options = of_device;
    options.engine = "nufft";
    options.accuracy = accuracy;
    options.precision = Precision::float32;
    const auto transforms = open_transforms(options, engines(), opened);
    Device& device = *opened;
    Array values = device.zeros(static_cast<std::size_t>(problem.values.size()), problem.element());
    if (problem.transform == "q") {
        const RealVector weights = problem.values.row(0).real().transpose();
        device.upload(weights, {0, values.count()}, 0, values);
    } else {
        const ComplexVector rows = problem.values.reshaped<Eigen::RowMajor>();
        device.upload(rows, values);
    }
    Array out = device.zeros(problem.coils * problem.points(), {true, Precision::float32});

    NufftRow row;
    row.first_seconds = row.seconds = std::numeric_limits<double>::infinity();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t turn = 0;
         turn < 2 || (turn < most_turns && seconds_since(begin) < enough_seconds); ++turn) {
        const auto run = [&](Transform& transform) {
            problem.transform == "forward" ? transform.forward(values, out)
                                           : transform.adjoint(values, out);
            device.download(out, 0, 1); // when it is done
        };
        const double processor = processor_seconds();
        const auto start = std::chrono::steady_clock::now();
        const std::unique_ptr<Transform> transform =
            transforms->make(problem.trajectory, problem.voxels);
        run(*transform);
        const double first = seconds_since(start);
        const double of_processor = processor_seconds() - processor;
        run(*transform);
        const double again = seconds_since(start) - first;
        if (first < row.first_seconds) {
            row.first_seconds = first;
            row.processor_seconds = of_processor;
        }
        row.seconds = std::min(row.seconds, again);
        row.bound = transform->adjoint_error();
    }
    row.transform = problem.transform;
    row.device = transforms->computed_by().device;
    row.samples = problem.trajectory.size();
    row.coils = problem.coils;
    row.accuracy = accuracy;
    const CoilMatrix found = results_at(problem, device, out);
    row.relative_error = (found - problem.exact).norm() / problem.exact.norm();
    const Cost cost = transforms->predict(problem.stage(), problem.trajectory, problem.voxels);
    const auto coils = static_cast<double>(problem.coils);
    row.fft_seconds = coils * cost.fft_bytes / limits.bytes;
    row.sums_seconds = coils * cost.multiply_adds / limits.multiply_adds;
    return row;
}

} // namespace

std::vector<NufftCase> nufft_cases() {
    return {{{256, 256}, 0, 8}, {{128, 128, 128}, 432128, 1}};
}

void benchmark_nufft(const NufftCase& what, const std::vector<double>& accuracies,
                     const std::string& device, const DeviceRates& rates, Reporter& report,
                     const std::function<void(NufftRow&&)>& add) {
    ComputeOptions of_device;
    of_device.device = device;
    const std::shared_ptr<Device> opened = open_transforms(of_device)->shared_device();
    const Limits limits{bandwidth_of(*opened), rates.multiply_adds};
    for (const std::string transform : {"adjoint", "forward", "q"}) {
        const Stage stage(report, "nufft " + transform);
        const Problem problem = make_problem(transform, what);
        for (const double accuracy : accuracies) {
            NufftRow row = measured_row(problem, accuracy, of_device, opened, limits);
            row.matrix = what.matrix;
            row.samples_per_second =
                static_cast<double>(row.samples * row.coils) / row.first_seconds;
            if (!row.verified()) {
                row.first_seconds = row.seconds = row.processor_seconds = row.samples_per_second =
                    0;
            }
            add(std::move(row));
        }
    }
}

} // namespace lsrecon
