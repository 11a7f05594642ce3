#include "simulate/simulation_options.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "simulate/phantom.hpp"

namespace lsrecon {

namespace {

void check_model(const SimulationOptions& options) {
    if (options.coils == 0) {
        throw UsageError("`coils` 0\n  expected: 1 or more");
    }
    if (options.model == "analytic" && options.coils > 1) {
        throw UsageError(text("`model` analytic with `coils` ", options.coils,
                              ": the phantom times a coil map has no closed transform\n"
                              "  next:     use `model` voxels, or `coils` 1"));
    }
    if (options.model != "auto" && options.model != "analytic" && options.model != "voxels") {
        throw UsageError(
            text("`model` ", options.model, " is unknown\n  expected: auto, analytic or voxels"));
    }
}

void check_off_resonance(const SimulationOptions& options) {
    if (!std::isfinite(options.off_resonance_hz)) {
        throw UsageError("`off_resonance_hz`\n  expected: a finite number");
    }
    if (!(options.r2star >= 0) || !std::isfinite(options.r2star)) {
        throw UsageError(text("`r2star` ", shown(options.r2star), "\n  expected: 0 or more, 1/s"));
    }
    if (!(options.readout_ms > 0) || !std::isfinite(options.readout_ms)) {
        throw UsageError(
            text("`readout_ms` ", shown(options.readout_ms), "\n  expected: above 0, ms"));
    }
    if (options.model == "analytic" && has_off_resonance(options)) {
        throw UsageError(
            "`model` analytic with off-resonance: the phantom in a field has no closed "
            "transform\n  next:     use `model` voxels");
    }
}

void check_truth(const SimulationOptions& options) {
    if (options.truth_of != "voxels" && options.truth_of != "band") {
        throw UsageError(
            text("`truth_of` ", options.truth_of, " is unknown\n  expected: voxels or band"));
    }
    if (options.truth_of == "band" && chosen_model(options) == "voxels") {
        throw UsageError(
            "`truth_of` band with the model voxels: its samples are those of the voxel "
            "means, which are its truth\n"
            "  next:     use `truth_of` voxels, or `model` analytic with one coil");
    }
}

void check_noise(const SimulationOptions& options) {
    if (!(options.noise >= 0) || !std::isfinite(options.noise)) {
        throw UsageError(text("`noise` ", shown(options.noise), "\n  expected: 0 or more"));
    }
    if (options.snr && options.noise > 0) {
        throw UsageError("`noise` and `snr` both set the noise\n  next:     leave one of them out");
    }
    if (options.snr && (!(*options.snr > 0) || !std::isfinite(*options.snr))) {
        throw UsageError(text("`snr` ", shown(*options.snr), "\n  expected: a number above 0"));
    }
}

void check_noise_of_coils(const SimulationOptions& options) {
    const double correlation = options.noise_correlation;
    if (!(std::abs(correlation) < 1)) {
        throw UsageError(text("`noise_correlation` ", shown(correlation),
                              "\n  expected: a number between -1 and 1"));
    }
    if (correlation != 0 && options.coils == 1) {
        throw UsageError("`noise_correlation` needs at least two coils\n"
                         "  next:     add `coils`");
    }
    // The covariance of the coils in recon needs this many noise samples.
    const double fewest = 2 * static_cast<double>(options.coils);
    if (options.noise_samples > 0 && static_cast<double>(options.noise_samples) < fewest) {
        throw UsageError(text("`noise_samples` ", options.noise_samples, "\n  expected: at least ",
                              fewest, ", two a coil"));
    }
    const bool noisy = options.snr || options.noise > 0;
    if (!noisy && (correlation != 0 || options.noise_samples > 0)) {
        throw UsageError(text(correlation != 0 ? "`noise_correlation`" : "`noise_samples`",
                              " without noise\n  next:     add `noise` or `snr`"));
    }
}

void check_matrix(const Grid& grid) {
    for (const std::size_t side : grid.size) {
        if (side > longest_side) {
            throw UsageError(text("`matrix` has ", side,
                                  " voxels in one dimension\n  expected: at most ", longest_side,
                                  "\n  next:     use a smaller `matrix`"));
        }
    }
}

void check_motion(const SimulationOptions& options) {
    if (options.frames == 0) {
        throw UsageError("`frames` 0\n  expected: 1 or more");
    }
    if (!(options.motion_mm >= 0) || !std::isfinite(options.motion_mm)) {
        throw UsageError(
            text("`motion` ", shown(options.motion_mm), "\n  expected: 0 or more, mm"));
    }
    if (options.motion_mm > 0 && options.frames < 3) {
        throw UsageError(
            text("`motion` with `frames` ", options.frames,
                 ": the sine is 0 in each of them\n  next:     use `frames` 3 or more"));
    }
    if (options.motion_mm == 0) {
        return;
    }
    const Grid& grid = options.sampling.grid;
    const double room = (0.5 - Phantom::shepp_logan(grid.dimensions).half_width()) * grid.fov_mm[0];
    if (options.motion_mm > room) {
        throw UsageError(text("`motion` ", options.motion_mm,
                              " takes the phantom out of the field "
                              "of view\n  expected: at most ",
                              room, " mm"));
    }
}

} // namespace

void check_options(const SimulationOptions& options) {
    check_model(options);
    check_off_resonance(options);
    check_truth(options);
    check_noise(options);
    check_noise_of_coils(options);
    check_matrix(options.sampling.grid);
    check_motion(options);
}

std::string chosen_model(const SimulationOptions& options) {
    if (options.model != "auto") {
        return options.model;
    }
    return options.coils == 1 && !has_off_resonance(options) ? "analytic" : "voxels";
}

bool has_off_resonance(const SimulationOptions& options) {
    return options.off_resonance_hz != 0 || options.r2star > 0;
}

double shift_mm(const SimulationOptions& options, std::size_t frame) {
    return options.motion_mm *
           std::sin(2 * pi * static_cast<double>(frame) / static_cast<double>(options.frames));
}

} // namespace lsrecon
