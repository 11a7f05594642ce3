// The noise map of an image by replicas of its noise, and the g-factor.

#pragma once

#include <functional>
#include <optional>

#include "encoding/solve.hpp"
#include "scan/slice.hpp"

namespace lsrecon {

/// Mean and deviation of volumes that come one after another (Welford 1962, Technometrics 4:419).
class RunningDeviation {
public:
    void add(const ComplexVector& image);
    /// sqrt(sum |x - mean|^2 / (parts (count - 1))): of one of the `parts` of a number that carry
    /// noise, 2 for complex images and 1 for magnitudes. After two images or more.
    RealVector deviation(int parts) const;

private:
    double count_ = 0;
    ComplexVector mean_;
    RealVector squares_; ///< sum |x - mean|^2
};

/// How a frame becomes an image again, with other noise.
struct NoisyFrame {
    const std::vector<Volume>& fhd;
    std::function<std::vector<Volume>(const CoilRows& noise)> transform; ///< F^H of C x M values
    std::function<ComplexVector(const std::vector<Volume>& fhd)> solve;
};

/// The noise of an image by pseudo-replicas (Robson et al. 2008, MRM 60:895): the frame is solved
/// again with other noise added to its samples, and the standard deviation over the replicas is
/// taken in every voxel, N: of a real or imaginary part of a complex image, or of a magnitude. Its
/// relative error is 1 / (2 sqrt(replicas - 1)), and sqrt(2) times that for magnitudes.
///
/// Noise is added to the data, not reconstructed alone, because conjugate gradients that end early
/// and penalties that are not quadratic treat both by what the data are.
///
/// `noise` gives C x M values of a replica. At least 2 replicas; errors as of solve().
RealVector noise_map(const NoisyFrame& frame, std::size_t replicas,
                     const std::function<CoilRows(std::size_t replica)>& noise, Reporter& report);

/// The memory of a noise map of a frame with `problems` right-hand sides, beside the frame's own.
inline Cost cost_of_noise_map(std::size_t voxels, std::size_t problems) {
    // mean, squares and image, F^H d with noise on the host, and their sum
    const double volumes = 4.5 + static_cast<double>(problems);
    return Cost::on_host(volumes * static_cast<double>(voxels * sizeof(Complex)));
}

/// Why the g-factor is not defined for a scan as it is transformed, or this solve, which ended so,
/// has less noise than SENSE; null where it is that of SENSE.
std::optional<Found> why_no_g_factor(const Scan& scan, const CoilRows& coil_maps,
                                     const Sampling& sampling, bool white,
                                     const SolveOptions& options, const std::vector<Stop>& stops);

/// SNR_full / (SNR sqrt(R)) in every voxel, from a noise map: the g-factor (Pruessmann et al. 1999,
/// MRM 42:952). SNR_full is that of N samples on the Nyquist grid of these coils, combined with sum
/// |S|^2, and R is N over the samples of a coil. `deviation` is of a real or imaginary part of the
/// samples, whose noise is white. 0 where no coil has sensitivity; no maps stand for one coil whose
/// map is 1.
RealVector g_factor(const RealVector& noise_map, const CoilRows& coil_maps, std::size_t samples,
                    double deviation);

/// Adds the noise map of frame f to an image, with its statistics, and the g-factor where that is
/// defined and this image has it (why_no_g_factor). `stops` are the frame's, `scan` as it is
/// transformed, with weights as they are, and the coil maps are those of the model.
void add_noise_map(Image& image, std::size_t f, const std::vector<Stop>& stops,
                   const NoisyFrame& frame, const Scan& scan, const Model& model,
                   const SolveOptions& options, std::size_t replicas, Reporter& report);

} // namespace lsrecon
