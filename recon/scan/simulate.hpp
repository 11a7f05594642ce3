#pragma once

#include <functional>

#include "base/report.hpp"
#include "scan/scan.hpp"
#include "scan/trajectories.hpp"

namespace lsrecon {

struct SimulationOptions {
    std::string trajectory = "spiral"; ///< name of a row in trajectories.cpp
    TrajectoryOptions sampling; ///< its grid is the image's, its seed is the noise's as well
    std::size_t coils = 1;
    /// "analytic": the exact transform of the phantom, so that the image is not the phantom's
    /// voxels alone; one coil only. "voxels": the program's own forward model of the voxel means.
    /// "auto": analytic for one coil, voxels for more.
    std::string model = "auto";
    /// Standard deviation of the noise in each real and each imaginary part, as a fraction of the
    /// root mean square of |sample| over all coils and samples.
    double noise = 0;
};

struct Simulation {
    Scan scan; ///< one frame; coil maps when there is more than one coil
    ComplexVector truth; ///< N, the phantom's mean over every voxel
    std::string model; ///< "analytic" or "voxels"
};

/// out_cm = sum_n rho_cn exp(-i 2 pi k_m . x_n), C x M: a backend's `forward`. Called for the model
/// "voxels" alone, so that an analytic scan needs no device.
using ForwardModel = std::function<CoilMatrix(const std::vector<Vec3>& trajectory,
                                              const CoilMatrix& rho, const Voxels& voxels)>;

/// A scan of the modified Shepp-Logan phantom. The analytic samples are N times the phantom's
/// transform, because the forward model sums over voxels without a scale. The same options give
/// the same scan on every platform, to rounding. UsageError when options contradict.
Simulation simulate(const SimulationOptions& options, const ForwardModel& forward,
                    Reporter& report);

/// Sensitivities of a birdcage of `coils` straight conductors parallel to z, at 3/4 field of view
/// from the centre, C x N: 1 / distance, and the phase of the conductor's transverse field (law of
/// Biot and Savart; the same model as birdcage_maps of sigpy and of ismrmrd-python-tools). Divided
/// by the root of the sum of squares over coils, which is then 1 everywhere. In three dimensions
/// eight or more coils a ring are put on rings along z.
CoilMatrix birdcage_maps(const Grid& grid, std::size_t coils);

/// Adds complex Gaussian noise; `deviation` is of each real and each imaginary part, a.u.
void add_noise(CoilMatrix& samples, double deviation, std::uint64_t seed);

} // namespace lsrecon
