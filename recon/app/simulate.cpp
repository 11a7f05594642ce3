#include <cmath>
#include <cstdio>

#include "app/command.hpp"
#include "app/console.hpp"
#include "base/named_files.hpp"
#include "base/version.hpp"
#include "io/image_file.hpp"
#include "io/native_writer.hpp"
#include "scan/simulate.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    SimulationOptions simulation;
    std::vector<std::size_t> matrix{128, 128};
    std::vector<double> fov_mm{240};
    BackendOptions backend;
    std::string truth;
    std::string output;
    bool quiet = false;
};

Grid grid_of(const Options& options) {
    const std::size_t dimensions = options.matrix.size();
    if (dimensions != 2 && dimensions != 3) {
        throw UsageError(text("--matrix has ", dimensions, " numbers\n  expected: X,Y or X,Y,Z"));
    }
    if (options.fov_mm.size() != 1 && options.fov_mm.size() != dimensions) {
        throw UsageError(text("--fov-mm has ", options.fov_mm.size(),
                              " numbers\n  expected: 1, or ", dimensions, " as --matrix has"));
    }
    Grid grid;
    grid.dimensions = static_cast<int>(dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) {
        grid.size[d] = options.matrix[d];
        grid.fov_mm[d] = options.fov_mm[options.fov_mm.size() == 1 ? 0 : d];
        if (!(grid.fov_mm[d] > 0) || !std::isfinite(grid.fov_mm[d])) {
            throw UsageError(text("--fov-mm ", grid.fov_mm[d], "\n  expected: a length in mm"));
        }
    }
    return grid;
}

void write_truth(const Options& options, const Simulation& simulation) {
    Image image = empty_image(simulation.scan);
    image.frames.push_back({simulation.truth, "phantom, mean over each voxel", std::nullopt, {}});
    image.record = {{"command", command_line()}, {"version", version}};
    write_image(options.truth, image);
}

void print_summary(const Options& options, const Simulation& simulation) {
    const Scan& scan = simulation.scan;
    std::string matrix = std::to_string(scan.grid.size[0]);
    for (int d = 1; d < scan.grid.dimensions; ++d) {
        matrix += "x" + std::to_string(scan.grid.size[d]);
    }
    const SimulationOptions& asked = options.simulation;
    std::printf("%s: %s, matrix %s, %zu %s, %zu samples each, model %s, noise %g, seed %llu\n",
                options.output.c_str(), asked.trajectory.c_str(), matrix.c_str(), scan.coils(),
                scan.coils() == 1 ? "coil" : "coils", scan.frames.front().sampling->samples(),
                simulation.model.c_str(), asked.noise,
                static_cast<unsigned long long>(asked.sampling.seed));
}

ExitCode run(const Options& options) {
    SimulationOptions simulation_options = options.simulation;
    simulation_options.sampling.grid = grid_of(options);
    require_files({}, {{"--output", options.output, FileKind::hdf5},
                       {"--truth", options.truth, FileKind::hdf5}});
    check_options(options.backend); // an analytic scan never opens it
    Console console(options.quiet);
    const ForwardModel forward = [&](const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                                     const Voxels& voxels) {
        return open_backend(options.backend, console)
            ->forward(trajectory, rho, voxels,
                      [&](double fraction) { console.progress(fraction); });
    };
    const Simulation simulation = simulate(simulation_options, forward, console);
    write_native_scan(options.output, simulation.scan);
    if (!options.truth.empty()) {
        write_truth(options, simulation);
    }
    print_summary(options, simulation);
    return ExitCode::done;
}

std::string trajectory_help() {
    std::string help = "one of";
    for (const TrajectoryDesign& design : trajectory_designs()) {
        help += "\n  " + design.name + " (" +
                (design.dimensions.size() == 2 ? "2D or 3D"
                                               : std::to_string(design.dimensions[0]) + "D") +
                "): " + design.summary;
    }
    return help;
}

void add_sampling_flags(CLI::App& sub, Options& options) {
    TrajectoryOptions& sampling = options.simulation.sampling;
    sub.add_option("--trajectory", options.simulation.trajectory, trajectory_help())
        ->capture_default_str();
    sub.add_option("--matrix", options.matrix, "voxels in each dimension: X,Y or X,Y,Z")
        ->delimiter(',')
        ->check(whole_number("whole numbers from 1", false))
        ->capture_default_str();
    sub.add_option("--fov-mm", options.fov_mm,
                   "field of view in mm, one length or one per dimension")
        ->delimiter(',')
        ->capture_default_str();
    sub.add_option(
           "--readouts", sampling.readouts,
           "readouts; for spirals, interleaves per plane or cone; 0: chosen to satisfy Nyquist")
        ->check(whole_number("a whole number from 0", true))
        ->capture_default_str();
    sub.add_option("--samples-per-readout", sampling.samples_per_readout,
                   "samples per readout; 0: chosen to satisfy Nyquist")
        ->check(whole_number("a whole number from 0", true))
        ->capture_default_str();
    sub.add_option("--undersampling", sampling.undersampling,
                   "how many times sparser than Nyquist: fewer readouts, or wider turns of spirals")
        ->capture_default_str();
    sub.add_option("--seed", sampling.seed, "of the noise and of random trajectories")
        ->check(whole_number("a whole number from 0", true))
        ->capture_default_str();
}

} // namespace

std::function<ExitCode()> bind_simulate(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    add_sampling_flags(sub, *options);
    SimulationOptions& simulation = options->simulation;
    sub.add_option("--coils", simulation.coils, "coils of a birdcage; 1 for a uniform coil")
        ->check(whole_number("a whole number from 1", false))
        ->capture_default_str();
    sub.add_option("--noise", simulation.noise,
                   "standard deviation of each real and imaginary part, as a fraction of the root "
                   "mean square of the samples")
        ->capture_default_str();
    sub.add_option(
           "--model", simulation.model,
           "analytic: the exact transform of the phantom, for one coil; voxels: the forward "
           "model of its voxels; auto: analytic for one coil, voxels for more")
        ->capture_default_str();
    sub.add_option("--truth", options->truth, "image file for the phantom's mean in each voxel")
        ->check(file_name());
    add_output_flag(sub, options->output, "scan file to write");
    add_backend_flags(sub, options->backend);
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
