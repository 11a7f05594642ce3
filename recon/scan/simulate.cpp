#include "scan/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/check.hpp"
#include "scan/phantom.hpp"

namespace lsrecon {

namespace {

constexpr double pi = 3.14159265358979323846;

std::string chosen_model(const SimulationOptions& options) {
    if (options.coils == 0) {
        throw UsageError("--coils 0\n  expected: 1 or more");
    }
    if (!(options.noise >= 0) || !std::isfinite(options.noise)) {
        throw UsageError(text("--noise ", options.noise, "\n  expected: 0 or more"));
    }
    if (options.model == "auto") {
        return options.coils == 1 ? "analytic" : "voxels";
    }
    if (options.model == "analytic" && options.coils > 1) {
        throw UsageError(text("--model analytic with --coils ", options.coils,
                              ": the phantom times a coil map has no closed transform\n"
                              "  next:     use --model voxels, or --coils 1"));
    }
    if (options.model != "analytic" && options.model != "voxels") {
        throw UsageError(
            text("--model ", options.model, " is unknown\n  expected: auto, analytic or voxels"));
    }
    return options.model;
}

void check_matrix(const Grid& grid) {
    for (const std::size_t side : grid.size) {
        if (side > longest_side) {
            throw UsageError(text("--matrix has ", side,
                                  " voxels in one dimension\n  expected: at most ", longest_side,
                                  "\n  next:     use a smaller --matrix"));
        }
    }
}

/// Scan files hold floats.
void check_floats(const CoilMatrix& samples, double noise) {
    const auto values = Eigen::Map<const RealVector>(
        reinterpret_cast<const double*>(samples.data()), 2 * samples.size());
    const double largest = values.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    constexpr double most = std::numeric_limits<float>::max();
    if (!(largest <= most)) {
        throw UsageError(text("--noise ", noise, " makes a sample of ", shown(largest),
                              "\n  expected: at most ", most,
                              ", the largest number of a scan file\n  next:     use less noise"));
    }
}

/// `points` is the larger of the voxels and the samples of one coil.
void check_size(std::size_t coils, std::size_t points) {
    constexpr double most_values = 1e9; // 16 GB; more is a slip
    const double values = static_cast<double>(coils) * static_cast<double>(points);
    if (values > most_values) {
        throw UsageError(text("the coils would have ", values,
                              " values in all\n  expected: at most ", most_values,
                              "\n  next:     use fewer --coils or a smaller --matrix"));
    }
}

CoilMatrix analytic_samples(const Phantom& phantom, const Grid& grid,
                            const std::vector<Vec3>& trajectory, Reporter& report) {
    const double voxels = static_cast<double>(grid.voxels());
    CoilMatrix samples(1, static_cast<Eigen::Index>(trajectory.size()));
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        samples(0, static_cast<Eigen::Index>(m)) = voxels * phantom.kspace(trajectory[m]);
        if (m % 4096 == 0) {
            report.progress(static_cast<double>(m) / static_cast<double>(trajectory.size()));
        }
    }
    return samples;
}

CoilMatrix voxel_samples(const Simulation& simulation, const std::vector<Vec3>& trajectory,
                         const ForwardModel& forward) {
    const Scan& scan = simulation.scan;
    CoilMatrix rho = simulation.truth.transpose();
    if (scan.coil_maps.size() > 0) {
        rho = scan.coil_maps.array().rowwise() * simulation.truth.transpose().array();
    }
    return forward(trajectory, rho, scan.image_voxels());
}

} // namespace

CoilMatrix birdcage_maps(const Grid& grid, std::size_t coils) {
    constexpr double cage_radius = 0.75;
    const std::size_t rings = grid.dimensions == 3 ? std::max<std::size_t>(1, coils / 8) : 1;
    const Voxels voxels = Voxels::of_grid(grid);
    CoilMatrix maps(static_cast<Eigen::Index>(coils), static_cast<Eigen::Index>(voxels.count()));
    for (std::size_t c = 0; c < coils; ++c) {
        const double angle = 2 * pi * static_cast<double>(c) / static_cast<double>(coils);
        const Vec3 centre{cage_radius * std::cos(angle), cage_radius * std::sin(angle),
                          (static_cast<double>(c % rings) + 0.5) / static_cast<double>(rings) -
                              0.5};
        for (std::size_t n = 0; n < voxels.count(); ++n) {
            const Vec3 x = voxels.position(n);
            const double dx = x[0] - centre[0];
            const double dy = x[1] - centre[1];
            const double dz = grid.dimensions == 3 ? x[2] - centre[2] : 0.0;
            const double distance = std::sqrt(dx * dx + dy * dy + dz * dz);
            // The corners of the grid are at sqrt(1/2) < 3/4, so the distance is never 0.
            maps(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(n)) =
                std::polar(1 / distance, std::atan2(dy, dx) - angle);
        }
    }
    const RealVector scale = maps.colwise().norm().cwiseInverse();
    return maps * scale.asDiagonal();
}

void add_noise(CoilMatrix& samples, double deviation, std::uint64_t seed) {
    // Another stream than the random trajectory's, which is seeded with the seed itself.
    std::mt19937_64 generator(~seed);
    Complex* const values = samples.data();
    for (Eigen::Index i = 0; i < samples.size(); ++i) {
        // Box and Muller 1958: one pair of uniform numbers is one complex Gaussian number. The
        // logarithm's argument is in (0, 1].
        const double radius = std::sqrt(-2 * std::log(1 - uniform_number(generator)));
        const double angle = 2 * pi * uniform_number(generator);
        values[i] += deviation * std::polar(radius, angle);
    }
}

Simulation simulate(const SimulationOptions& options, const ForwardModel& forward,
                    Reporter& report) {
    Simulation simulation;
    simulation.model = chosen_model(options);
    const Grid& grid = options.sampling.grid;
    check_matrix(grid);
    auto sampling = std::make_shared<Sampling>();
    sampling->trajectory = make_trajectory(options.trajectory, options.sampling);

    check_size(options.coils, std::max(grid.voxels(), sampling->samples()));
    simulation.scan.format = "simulated";
    simulation.scan.grid = grid;
    simulation.scan.frames.push_back({sampling, {}, {}, {}});
    check(simulation.scan); // what no reader would take is refused before the work

    const Phantom phantom = Phantom::shepp_logan(grid.dimensions);
    simulation.truth = phantom.voxel_means(grid);
    if (options.coils > 1) {
        simulation.scan.coil_maps = birdcage_maps(grid, options.coils);
    }

    CoilMatrix& samples = simulation.scan.frames.front().samples;
    {
        const Stage stage(report, "simulate");
        samples = simulation.model == "analytic"
                      ? analytic_samples(phantom, grid, sampling->trajectory, report)
                      : voxel_samples(simulation, sampling->trajectory, forward);
    }
    if (options.noise > 0) {
        const double mean_square = samples.squaredNorm() / double(samples.size());
        add_noise(samples, options.noise * std::sqrt(mean_square), options.sampling.seed);
    }
    check_floats(samples, options.noise);
    return simulation;
}

} // namespace lsrecon
