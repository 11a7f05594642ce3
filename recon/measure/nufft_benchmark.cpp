// Times the NUFFT on radial samples for several accuracies, and compares it with the bandwidth and
// the multiply-adds of the device.

#include "measure/nufft_benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>

#include "base/machine.hpp"
#include "simulate/trajectories.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t most_runs = 10;
constexpr double enough_seconds = 2; // after which no run begins

double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

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

/// Bytes of memory that vectors of a device move in a second.
double bandwidth_of(Device& device) {
    constexpr std::size_t count = std::size_t(1) << 24;
    Array x = device.zeros(count, {true, Precision::float32});
    Array y = device.zeros(count, {true, Precision::float32});
    double least = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 5; ++run) {
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

NufftRow measured_row(const TransformCase& what, double accuracy, const ComputeOptions& of_device,
                      const std::shared_ptr<Device>& opened, const Limits& limits) {
    ComputeOptions options = of_device;
    options.engine = "nufft";
    options.accuracy = accuracy;
    options.precision = Precision::float32;
    const auto transforms = open_transforms(options, engines(), opened);
    Device& device = *opened;
    const bool of_weights = what.stage == "q";
    const auto coils = static_cast<std::size_t>(what.values.rows());
    Array values = device.zeros(coils * what.sources(), {!of_weights, Precision::float32});
    if (of_weights) {
        const RealVector weights = what.values.row(0).real().transpose();
        device.upload(weights, {0, values.count()}, 0, values);
    } else {
        const ComplexVector rows = what.values.reshaped<Eigen::RowMajor>();
        device.upload(rows, values);
    }
    Array out = device.zeros(coils * what.points(), {true, Precision::float32});

    NufftRow row;
    row.first_seconds = row.seconds = std::numeric_limits<double>::infinity();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t round = 0;
         round < 2 || (round < most_runs && seconds_since(begin) < enough_seconds); ++round) {
        const auto run = [&](Transform& transform) {
            what.stage == "f" ? transform.forward(values, out) : transform.adjoint(values, out);
            device.download(out, 0, 1); // when it is done
        };
        const double processor = processor_seconds();
        const auto start = std::chrono::steady_clock::now();
        const std::unique_ptr<Transform> transform = transforms->make(what.positions, what.voxels);
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
    row.transform = what.stage == "fhd" ? "adjoint" : what.stage == "f" ? "forward" : "q";
    row.device = transforms->computed_by().device;
    row.samples = what.positions.size();
    row.coils = coils;
    row.accuracy = accuracy;
    const ComplexVector results = device.download(out, 0, out.count());
    row.relative_error =
        error_of(Eigen::Map<const CoilMatrix>(results.data(), what.values.rows(),
                                              static_cast<Eigen::Index>(what.points())),
                 what);
    const Cost cost = transforms->predict(what.stage, what.positions, what.voxels);
    row.fft_seconds = static_cast<double>(coils) * cost.fft_bytes / limits.bytes;
    row.sums_seconds = static_cast<double>(coils) * cost.multiply_adds / limits.multiply_adds;
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
    const Grid grid = grid_of(what.matrix);
    for (const std::string stage : {"fhd", "f", "q"}) {
        const Stage timing(report, "nufft " + stage);
        std::mt19937_64 random(1);
        const TransformCase problem =
            make_transform_case(stage, grid, radial_samples(grid, what.samples),
                                stage == "q" ? 1 : what.coils, random, report);
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
