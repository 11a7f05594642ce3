// simulate: makes a scan of a phantom, and writes it to a file.

#include <cmath>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "base/version.hpp"
#include "io/formats.hpp"
#include "io/image/file.hpp"
#include "io/native/scan.hpp"
#include "io/record.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon::app {

namespace {

struct SimulateFlags {
    SimulationOptions simulation;
    std::vector<std::size_t> matrix{128, 128};
    std::vector<double> fov_mm{240};
    ComputeOptions compute;
    std::string truth;
    std::string output;
    std::string to; ///< "": by the ending of the output
    bool quiet = false;
};

Grid grid_of(const SimulateFlags& options) {
    const std::size_t dimensions = options.matrix.size();
    if (options.fov_mm.size() != 1 && options.fov_mm.size() != dimensions) {
        throw UsageError(text("--fov-mm has ", options.fov_mm.size(),
                              " numbers\n  expected: 1, or ", dimensions, " as --matrix has"));
    }
    Grid grid;
    grid.dimensions = static_cast<int>(dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) {
        grid.size[d] = options.matrix[d];
        grid.fov_mm[d] = options.fov_mm[options.fov_mm.size() == 1 ? 0 : d];
    }
    return grid;
}

void write_truth(const SimulateFlags& options, const Simulation& simulation) {
    Image image = empty_image(simulation.scan);
    const SimulationOptions& settings = options.simulation;
    for (std::size_t f = 0; f < settings.frames; ++f) {
        std::string label = settings.truth_of == "band" ? "phantom at the resolution of the grid"
                                                        : "phantom, mean over each voxel";
        if (settings.motion_mm > 0) {
            const double shift = std::round(100 * shift_mm(settings, f)) / 100;
            label += text(", shifted by ", shift + 0.0, " mm along x"); // never -0
        }
        image.frames.push_back(
            {simulation.truth.col(static_cast<Eigen::Index>(f)), label, std::nullopt, {}});
    }
    image.record = {{"command", command_line()}, {"version", version}};
    write_image(options.truth, image);
}

void print_summary(const SimulateFlags& options, const Simulation& simulation) {
    const Scan& scan = simulation.scan;
    const SimulationOptions& settings = options.simulation;
    const std::string noise =
        settings.snr ? text("SNR ", *settings.snr) : text("noise ", settings.noise);
    put(stdout,
        text(options.output, ": ", settings.design, ", matrix ",
             by(scan.grid.size, scan.grid.dimensions), ", ", counted(scan.coils(), "coil"), ", ",
             scan.frames.front().trajectory->samples(), " samples each, ",
             counted(scan.frames.size(), "frame"), ", model ", simulation.model,
             simulation.error ? text(", relative error at most ", rounded(*simulation.error)) : "",
             ", ", noise, ", seed ", settings.trajectory.seed));
}

OptionTable options_of_simulate(SimulateFlags& options);

/// The options but those about the output, in words.
std::string in_words(SimulateFlags& options) {
    std::string words;
    for (const auto& [key, value] : options_in(settings_of(&options_of_simulate, options))) {
        words += (words.empty() ? "" : " ") + text(flag_of(key), " ", value);
    }
    return words.empty() ? "usual options" : words;
}

void check_outputs(const SimulateFlags& options, const std::string& settings) {
    const NamedOutput scan{"--output", options.output, FileKind::hdf5};
    const NamedOutput truth{"--truth", options.truth, FileKind::hdf5};
    if (settings_of_simulation(options.output) == settings) { // nothing is lost
        require_files({}, {scan, truth});
        check_files({}, {truth}, options.quiet);
    } else {
        check_files({}, {scan, truth}, options.quiet);
    }
}

ExitCode run_simulate(SimulateFlags& options) {
    const std::string settings = in_words(options);
    if (!options.simulation.echo_times_ms.empty()) {
        options.simulation.frames = options.simulation.echo_times_ms.size();
    }
    SimulationOptions simulation_options = options.simulation;
    simulation_options.trajectory.grid = grid_of(options);
    check_outputs(options, settings);
    ComputeOptions compute = options.compute;
    if (has_off_resonance(simulation_options) && compute.kernel.empty() &&
        compute.engine == engine_by_cost && !is_reference(compute.backend)) {
        // exact: no time segments
        compute.engine = backend_of(compute) == "host" ? "sums" : "direct";
    }
    check_options(compute); // an analytic scan never opens it
    const ScanFormat& format = scan_format_of_output(options.output, options.to);
    format.require_holds(options.output, simulation_without_samples(simulation_options));
    Console console(options.quiet);
    std::unique_ptr<Transforms> transforms; // opened by the first frame that needs it
    const auto open = [&]() -> Transforms& {
        if (!transforms) {
            transforms = open_transforms(compute, console);
        }
        return *transforms;
    };
    Simulation simulation = simulate(simulation_options, open, console);
    simulation.settings = settings;
    format.write(options.output, simulation, console);
    if (!options.truth.empty()) {
        write_truth(options, simulation);
    }
    print_summary(options, simulation);
    return ExitCode::done;
}

OptionTable trajectory_options(SimulateFlags& options) {
    TrajectoryOptions& trajectory = options.simulation.trajectory;
    return in(
        "Trajectory",
        {{"trajectory", name(options.simulation.design, "NAME", names_of(trajectory_designs())),
          "trajectory", More{"Trajectories:" + listed(trajectory_designs())}},
         {"matrix", grid_size(options.matrix), "voxels in each dimension"},
         {"fov_mm", number(options.fov_mm, positive(), "LENGTHS"),
          "field of view: one length, or one for each dimension", Unit{"mm"}},
         {"readouts", number(trajectory.readouts, whole(0), "N"), "readouts", Default{"by Nyquist"},
          More{"For spirals, N is the number of interleaves of each plane or cone. 0 chooses by "
               "Nyquist."}},
         {"samples_per_readout", number(trajectory.samples_per_readout, whole(0), "N"),
          "samples of a readout", Default{"by Nyquist"}, More{"0 chooses by Nyquist."}},
         {"undersampling", number(trajectory.undersampling, positive()),
          "how many times sparser than Nyquist",
          More{"A scan with a higher factor has fewer readouts, or spirals with wider windings."}},
         {"frames", number(options.simulation.frames, whole(1), "N"), "frames",
          More{"Golden-angle and golden-means spokes continue from frame to frame. Other "
               "trajectories repeat."}},
         {"seed", number(trajectory.seed, whole(0), "N"),
          "random seed of the noise and of random trajectories"}});
}

Value delays_value(Delays& delays) {
    return {form_of_delays, [&delays](const std::string& word) { return delays.take(word); },
            [&delays] { return delays.word(); }};
}

OptionTable phantom_options(SimulationOptions& simulation) {
    return in(
        "Phantom",
        {{"coils", number(simulation.coils, whole(1), "N"),
          "coils of a birdcage; 1 for a uniform coil"},
         {"without_maps", toggle(simulation.with_maps, false),
          "leave the coil maps out of the file, as a scanner does"},
         {"off_resonance_hz", number(simulation.off_resonance_hz, any_number()),
          "peak of the field map", Unit{"Hz"},
          More{"The map has this sign near one point and the other sign far away. The scan holds "
               "the map and the times of its samples."}},
         {"echo_times", number(simulation.echo_times_ms, positive(), "MS,MS[,MS]"),
          "echo times of frames that are echoes", Is::expert, Unit{"ms"}, Needs{"off_resonance_hz"},
          Excludes{"frames"}, More{"`lsrecon fieldmap` makes a field map of them."}},
         {"r2star", number(simulation.r2star, from(0)), "largest rate of decay", Unit{"1/s"},
          More{"The decay is largest near the same point, and half of it far away."}},
         {"readout_ms", number(simulation.readout_ms, positive()),
          "duration of a readout, with off-resonance or decay", Unit{"ms"}},
         {"delays", delays_value(simulation.delays), "delays of gradients, and phases of readouts",
          Unit{"dwell times, rad"},
          More{
              "The samples are taken as `delays` of `recon` describes; the scan has the trajectory "
              "without them."}},
         {"motion", number(simulation.motion_mm, from(0)), "amplitude of a motion along x",
          Unit{"mm"}, More{"The motion is a sine with one period over all frames."}},
         {"model", choice(simulation.model, {"auto", "analytic", "voxels"}),
          "how samples are computed",
          More{"`analytic` is the exact transform of the phantom, for one coil. `voxels` is the "
               "forward model of its voxels, by the NUFFT where exact sums take long: with a "
               "relative error of at most 5e-06, far below any noise. The summary and the scan "
               "hold the bound. `auto` is analytic for one coil and voxels for more."}}});
}

OptionTable noise_options(SimulationOptions& simulation) {
    const Numbers between_minus_one_and_one{"a number between -1 and 1",
                                            [](double value) { return std::abs(value) < 1; }};
    return in(
        "Noise",
        {{"noise", number(simulation.noise, from(0, 1e9)),
          "standard deviation of real and imaginary parts",
          More{"It is a fraction of the root mean square of the samples."}},
         {"snr", number(simulation.snr, positive()),
          "signal-to-noise ratio of a fully sampled image",
          More{"The signal is the mean of the phantom where it is above a tenth of its "
               "maximum. The noise is the standard deviation of the real part, in an image "
               "of as many Nyquist samples as voxels."},
          Excludes{"noise"}},
         {"noise_correlation", number(simulation.noise_correlation, between_minus_one_and_one),
          "correlation of the noise of neighbouring coils",
          More{"It is between -1 and 1. Coils that are n apart have its n-th power."}},
         {"noise_samples", number(simulation.noise_samples, whole(0), "N"),
          "samples of noise alone, used by recon for prewhitening"}});
}

OptionTable options_of_simulate(SimulateFlags& options) {
    SimulationOptions& simulation = options.simulation;
    return joined(
        {trajectory_options(options), phantom_options(simulation), noise_options(simulation),
         device_options(options.compute, "separable; tuned with off-resonance",
                        "It settles the engine of `--model voxels`. `tuned` is exact with "
                        "off-resonance or decay."),
         in("Output",
            {output_option(options.output, "scan file to write"),
             {"to", choice(options.to, names_of(scan_formats())), "format of the scan",
              Default{"by the ending of the output"}, More{"Formats:" + listed(scan_formats())}},
             {"truth", name(options.truth), "image file to write the phantom to"},
             {"truth_of", choice(simulation.truth_of, {"voxels", "band"}), "what `--truth` holds",
              Needs{"truth"},
              More{"`voxels` is the phantom's mean in each voxel. `band` is the phantom at the "
                   "resolution of the grid, made from its exact Fourier coefficients. It needs "
                   "`--model analytic`."}},
             quiet_option(options.quiet)})});
}

} // namespace

Bound bind_simulate() {
    return bound(&options_of_simulate, &run_simulate);
}

} // namespace lsrecon::app
