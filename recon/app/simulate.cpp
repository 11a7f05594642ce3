#include <cmath>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "app/validators.hpp"
#include "base/named_files.hpp"
#include "base/version.hpp"
#include "engines/on_host.hpp"
#include "io/formats.hpp"
#include "io/image/file.hpp"
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
    std::string to; ///< "": by the ending of the output
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
    const SimulationOptions& asked = options.simulation;
    for (std::size_t f = 0; f < asked.frames; ++f) {
        std::string label = asked.truth_of == "band" ? "phantom at the resolution of the grid"
                                                     : "phantom, mean over each voxel";
        if (asked.motion_mm > 0) {
            const double shift = std::round(100 * shift_mm(asked, f)) / 100;
            label += text(", shifted by ", shift + 0.0, " mm along x"); // never -0
        }
        image.frames.push_back(
            {simulation.truth.col(static_cast<Eigen::Index>(f)), label, std::nullopt, {}});
    }
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
    const std::string noise = asked.snr ? text("SNR ", *asked.snr) : text("noise ", asked.noise);
    print_line("%s: %s, matrix %s, %zu %s, %zu samples each, %zu %s, model %s, %s, seed %llu",
               options.output.c_str(), asked.trajectory.c_str(), matrix.c_str(), scan.coils(),
               scan.coils() == 1 ? "coil" : "coils", scan.frames.front().sampling->samples(),
               scan.frames.size(), scan.frames.size() == 1 ? "frame" : "frames",
               simulation.model.c_str(), noise.c_str(),
               static_cast<unsigned long long>(asked.sampling.seed));
}

ExitCode run(const Options& options) {
    SimulationOptions simulation_options = options.simulation;
    simulation_options.sampling.grid = grid_of(options);
    require_files({}, {{"--output", options.output, FileKind::hdf5},
                       {"--truth", options.truth, FileKind::hdf5}});
    BackendOptions backend_options = options.backend;
    if (has_off_resonance(simulation_options) && backend_options.kernel.empty() &&
        backend_options.backend == "opencl") {
        backend_options.kernel = "tuned"; // exact: no time segments
    }
    check_options(backend_options); // an analytic scan never opens it
    const ScanFormat& format = scan_format_of_output(options.output, options.to);
    format.require_holds(options.output, simulation_without_samples(simulation_options));
    Console console(options.quiet);
    std::unique_ptr<Backend> backend; // opened by the first frame that needs it
    const ForwardModel forward = [&](const SamplePoints& points, const CoilMatrix& rho,
                                     const Voxels& voxels) {
        if (!backend) {
            backend = open_backend(backend_options, console);
        }
        return forward_on_host(*backend, points, rho, voxels,
                               [&](double fraction) { console.progress(fraction); })
            .values;
    };
    const Simulation simulation = simulate(simulation_options, forward, console);
    format.write(options.output, simulation, console);
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

std::string format_help() {
    std::string help = "format of the scan, in place of what its ending says:";
    for (const ScanFormat& format : scan_formats()) {
        help += "\n  " + format.name + " (." + format.endings.front() + "): " + format.summary;
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
    sub.add_option(
           "--undersampling", sampling.undersampling,
           "how many times sparser than Nyquist: fewer readouts, or wider spacing of spiral "
           "windings")
        ->capture_default_str();
    sub.add_option("--seed", sampling.seed, "of the noise and of random trajectories")
        ->check(whole_number("a whole number from 0", true))
        ->capture_default_str();
}

void add_frame_flags(CLI::App& sub, SimulationOptions& simulation) {
    sub.add_option(
           "--frames", simulation.frames,
           "frames; golden-angle and golden-means spokes continue from frame to frame, other "
           "trajectories are the same in each")
        ->check(whole_number("a whole number from 1", false))
        ->capture_default_str();
    sub.add_option("--motion", simulation.motion_mm,
                   "amplitude in mm of a sinusoidal motion along x, one period over all frames")
        ->check(non_negative_number())
        ->capture_default_str();
}

void add_noise_flags(CLI::App& sub, SimulationOptions& simulation) {
    CLI::Option* const noise =
        sub.add_option("--noise", simulation.noise,
                       "standard deviation of each real and imaginary part, as a fraction of the "
                       "root mean square of the samples")
            ->capture_default_str();
    sub.add_option("--snr", simulation.snr,
                   "in place of --noise: the mean of the phantom, where it is above a tenth of its "
                   "maximum, over the standard deviation of the noise's real part in an image of "
                   "as many Nyquist samples as voxels")
        ->check(positive_number())
        ->excludes(noise);
    sub.add_option("--noise-correlation", simulation.noise_correlation,
                   "correlation of the noise of neighbouring coils, between -1 and 1; n coils "
                   "apart, its n-th power")
        ->capture_default_str();
    sub.add_option("--noise-samples", simulation.noise_samples,
                   "samples of the same noise alone in each coil, by which recon whitens the coils")
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
    sub.add_flag("--without-maps{false}", simulation.with_maps,
                 "leave the coil maps out of the file, as a scanner does");
    sub.add_option("--off-resonance-hz", simulation.off_resonance_hz,
                   "peak of the simulated field map in Hz; it has this sign near one point and the "
                   "opposite sign far away; written to the scan with the times of its samples")
        ->capture_default_str();
    sub.add_option("--r2star", simulation.r2star,
                   "decay of up to this many 1/s near that place, and half of it far from it")
        ->capture_default_str();
    sub.add_option("--readout-ms", simulation.readout_ms,
                   "how long each readout takes, with --off-resonance-hz or --r2star")
        ->capture_default_str();
    add_frame_flags(sub, simulation);
    add_noise_flags(sub, simulation);
    sub.add_option(
           "--model", simulation.model,
           "analytic: the exact transform of the phantom, for one coil; voxels: the forward "
           "model of its voxels; auto: analytic for one coil, voxels for more")
        ->capture_default_str();
    CLI::Option* const truth =
        sub.add_option("--truth", options->truth, "image file for the phantom itself")
            ->check(file_name());
    sub.add_option("--truth-of", simulation.truth_of,
                   "voxels: the phantom's mean in each voxel; band: its exact Fourier coefficients "
                   "on the Cartesian grid, transformed back, for the model analytic")
        ->needs(truth)
        ->capture_default_str();
    add_output_flag(sub, options->output, "scan file to write");
    std::vector<std::string> formats;
    for (const ScanFormat& format : scan_formats()) {
        formats.push_back(format.name);
    }
    sub.add_option("--to", options->to, format_help())->type_name("FORMAT")->check(one_of(formats));
    add_backend_flags(sub, options->backend);
    sub.get_option("--kernel")
        ->description("transform variant of --model voxels; see 'lsrecon devices' [separable; with "
                      "--off-resonance-hz or --r2star tuned, which is exact]");
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
