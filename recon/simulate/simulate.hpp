// Simulated scans of a phantom: their options, samples, noise, coils and field maps.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/ranges.hpp"
#include "base/report.hpp"
#include "engines/transforms.hpp"
#include "scan/delays.hpp"
#include "scan/scan.hpp"
#include "simulate/trajectories.hpp"

namespace lsrecon {

struct SimulationOptions {
    std::string design = "spiral"; ///< name of a row in trajectories.cpp
    TrajectoryOptions trajectory; ///< its grid is the image's, its seed is the noise's as well
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
    /// Largest of the field map, Hz; 0 for none. It is positive near one point and negative far
    /// from it, as near the sinuses of a head.
    double off_resonance_hz = 0;
    /// Times of frames that are echoes, ms, as many as `frames`; none where they are not. Each has
    /// the phase and the decay since its excitation.
    std::vector<double> echo_times_ms = {};
    double r2star = 0; ///< largest rate of decay, 1/s, at that point; half of it far away
    double readout_ms = 20; ///< time from the first to the last sample of each, with off-resonance
    /// The samples are taken by these, while the scan has the trajectory of the design.
    Delays delays;
    double motion_mm = 0; ///< amplitude of a sine along x, whose period is all frames
};

/// Whether samples gather phase or decay during a readout.
bool has_off_resonance(const SimulationOptions& options);

/// The distance in mm of the phantom from its position along x in a frame.
double shift_mm(const SimulationOptions& options, std::size_t frame);

struct Simulation {
    Scan scan; ///< coil maps when there is more than one coil, unless left out
    Eigen::MatrixXcd truth; ///< N x F, the image that the options ask for, of each frame
    std::string model; ///< "analytic" or "voxels"
    /// The bound of the relative L2 error of samples of the model "voxels" before noise, as floats.
    std::optional<double> error;
    std::string design; ///< name of its row in trajectories.cpp
    std::vector<std::size_t>
        readout_ends; ///< samples up to the end of each readout, in every frame
    std::string settings = {}; ///< the options of the command in words; "" without one
    Precision stored = Precision::float32; ///< of complex numbers in a file that can hold it
};

/// What computes the samples of voxels. Called for the model "voxels" alone, so that an analytic
/// scan needs no device.
using OpenTransforms = std::function<Transforms&()>;

/// A scan of the modified Shepp-Logan phantom, which swings along x from frame to frame where
/// motion is asked for; coil maps stay in their place. The analytic samples are N times the
/// phantom's transform, because the forward model sums over voxels without a scale. The same
/// options give the same scan on every platform, to rounding. UsageError when options contradict.
Simulation simulate(const SimulationOptions& options, const OpenTransforms& open, Reporter& report);

/// The positions, times and frames of the samples, before the work. Errors as of simulate.
Simulation simulation_without_samples(const SimulationOptions& options);

/// The field map of the options, and the rates of decay: of the voxels of the grid.
OffResonance simulated_off_resonance(const SimulationOptions& options);

/// Sensitivities of a birdcage of `coils` straight conductors parallel to z, at 3/4 field of view
/// from the centre: 1 / distance, and the phase of the conductor's transverse field (law of Biot
/// and Savart; the same model as birdcage_maps of sigpy and of ismrmrd-python-tools). Divided by
/// the root of the sum of squares over coils, which is then 1 everywhere. In three dimensions eight
/// or more coils a ring are put on rings along z.
class Birdcage {
public:
    Birdcage(const Grid& grid, std::size_t coils);
    std::size_t coils() const { return conductors_.size(); }
    /// The maps of some coils, a row each of N, in the precision of a scan file.
    CoilRows::Floats maps(const Range& coils) const;
    CoilRows::Floats maps() const { return maps({0, coils()}); }

private:
    Voxels voxels_;
    std::vector<Vec3> conductors_; ///< positions in fields of view
    RealVector scale_; ///< N
};

} // namespace lsrecon
