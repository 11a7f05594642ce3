#pragma once

#include <optional>
#include <string>

#include "simulate/trajectories.hpp"

namespace lsrecon {

struct SimulationOptions {
    std::string trajectory = "spiral"; ///< name of a row in trajectories.cpp
    TrajectoryOptions sampling; ///< its grid is the image's, its seed is the noise's as well
    std::size_t coils = 1;
    /// Samples or voxels of the coils that the model "voxels" computes at once, 1 GB.
    std::size_t values_at_once = std::size_t{1} << 26;
    /// "analytic": the exact transform of the phantom, so that the image is not the phantom's
    /// voxels alone; one coil only. "voxels": the program's own forward model of the voxel means.
    /// "auto": analytic for one coil, voxels for more.
    std::string model = "auto";
    /// Standard deviation of the noise in each real and each imaginary part, as a fraction of the
    /// root mean square of |sample| over all frames, coils and samples.
    double noise = 0;
    /// The signal over the noise of the fully sampled image, in place of `noise`; docs/maths.md.
    std::optional<double> snr;
    /// The correlation of the noise of neighbouring coils, -1 to 1; more distant coils have powers
    /// of it.
    double noise_correlation = 0;
    std::size_t noise_samples = 0; ///< K of noise alone, for whitening
    bool with_maps = true; ///< false: the scan lacks the maps of its coils
    /// "voxels": the phantom's mean over every voxel. "band": its image at the resolution of the
    /// grid, which an exact reconstruction of analytic samples comes to.
    std::string truth_of = "voxels";
    std::size_t frames = 1;
    /// Largest of the field map, Hz; 0 for none. It is positive near one place and negative far
    /// from it, as near the sinuses of a head.
    double off_resonance_hz = 0;
    double r2star = 0; ///< largest rate of decay, 1/s, at that place; half of it far away
    double readout_ms = 20; ///< time from the first to the last sample of each, with off-resonance
    double motion_mm = 0; ///< amplitude of a sine along x, whose period is all frames
};

/// UsageError when options contradict each other, whatever the trajectory.
void check_options(const SimulationOptions& options);

/// "analytic" or "voxels", after check_options.
std::string chosen_model(const SimulationOptions& options);

/// Whether samples gather phase or decay during a readout.
bool has_off_resonance(const SimulationOptions& options);

/// The distance in mm of the phantom from its place along x in a frame.
double shift_mm(const SimulationOptions& options, std::size_t frame);

} // namespace lsrecon
