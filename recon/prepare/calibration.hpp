#pragma once

#include "base/report.hpp"
#include "engines/backend.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The centre of k-space of some frames on a grid: what coil maps are estimated from.
struct Calibration {
    std::size_t radius; ///< in cycles/FOV: so far it is sampled at the Nyquist rate
    Grid grid; ///< the field of view of the scan with a matrix of 2 radius, at most the scan's
    std::size_t frames; ///< F
    CoilMatrix images; ///< C x n F: least-squares images of the coils, x fastest
    CoilMatrix kspace; ///< C x n F: their Fourier transform, k from -floor(N/2) on

    /// Adds the frames of another calibration of the same grid.
    void join(const Calibration& other);
};

/// A next step where maps cannot be estimated, for every command that wants them.
constexpr const char* without_maps =
    "'lsrecon recon --maps none' needs none and solves one problem a coil";

/// The largest radius in cycles/FOV, at most `most`, within which nearly every cell of 1 cycle/FOV
/// holds a sample. Cells beyond N/2 of the grid do not count.
std::size_t sampled_radius(const std::vector<Vec3>& trajectory, const Grid& grid, std::size_t most);

/// Reconstructs the densest part of k-space of each coil by least squares. InputError when even the
/// centre is sampled too sparsely. The radius is `radius`, as far as the frame is
/// sampled, or 0 for as far as that is.
Calibration calibrate(Backend& backend, const Scan& scan, const Frame& frame, Reporter& report,
                      std::size_t radius = 0);

} // namespace lsrecon
