#pragma once

#include <functional>

#include "base/ranges.hpp"
#include "base/report.hpp"
#include "scan/scan.hpp"
#include "simulate/simulation_options.hpp"

namespace lsrecon {

struct Simulation {
    Scan scan; ///< coil maps when there is more than one coil, unless left out
    Eigen::MatrixXcd truth; ///< N x F, the image that the options ask for, of each frame
    std::string model; ///< "analytic" or "voxels"
    /// The bound of the relative L2 error of samples of the model "voxels" before noise, as floats.
    std::optional<double> error;
    std::string trajectory; ///< name of its row in trajectories.cpp
    std::vector<std::size_t>
        readout_ends; ///< samples up to the end of each readout, in every frame
    std::string settings = {}; ///< the options of the command in words; "" without one
};

/// Samples of some coils, a row each, and the bound of their relative L2 error.
struct ForwardSamples {
    CoilMatrix values;
    double error = 0;
};

/// out_cm = sum_n rho_cn exp(-i 2 pi k_m . x_n) of some coils: a transform's `forward`.
using Forward =
    std::function<ForwardSamples(const CoilRows& rho, const std::function<void(double)>& progress)>;
/// The forward of one sampling, which outlives it. Called for the model "voxels" alone, so that an
/// analytic scan needs no device.
using ForwardModel = std::function<Forward(const SamplePoints& points, const Voxels& voxels)>;

/// A scan of the modified Shepp-Logan phantom, which swings along x from frame to frame where
/// motion is asked for; coil maps stay in their place. The analytic samples are N times the
/// phantom's transform, because the forward model sums over voxels without a scale. The same
/// options give the same scan on every platform, to rounding. UsageError when options contradict.
Simulation simulate(const SimulationOptions& options, const ForwardModel& forward,
                    Reporter& report);

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
