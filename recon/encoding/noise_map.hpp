// The noise map of an image by probes of its covariance or by replicas of noise, and the g-factor.

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "encoding/probed_diagonal.hpp"
#include "encoding/solve.hpp"
#include "scan/noise.hpp"
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

/// How a frame becomes an image, and how its image scatters.
struct NoisyFrame {
    const std::vector<Volume>& fhd;
    std::function<std::vector<Volume>(const CoilRows& noise)> transform; ///< F^H of C x M values
    std::function<ComplexVector(const std::vector<Volume>& fhd)> solve;
    bool is_complex; ///< or a magnitude
    /// The covariance of the image where it is linear in the samples, in units of the variance of a
    /// sample; else null.
    LinearMap covariance;
    GridSize size; ///< of the covariance's images
    RealVector seen; ///< 1 at voxels that coil maps see, N
};

/// The noise of an image.
struct ImageNoise {
    /// N, standard deviation of each real and each imaginary part, a.u.; of a magnitude where
    /// replicas of several coils without maps gave it.
    RealVector deviation;
    double error; ///< of the deviation, relative, root mean square
    std::size_t solves; ///< probes or replicas
    bool by_probes;
};

/// The noise of a frame's image from so many solves at most, 2 or more: by probes of its
/// covariance, or by replicas of noise.
ImageNoise noise_of_image(const NoisyFrame& frame, const ReplicaNoise& noise,
                          const Trajectory& trajectory, Precision precision, std::size_t solves,
                          Reporter& report);

/// W Psi W A rho through the transforms and back, A^H W Psi W A rho, where Psi is the covariance of
/// a sample of all coils, C x C, or of no rows for 1. `weights` are M, or none; `adjoint` is A^H W.
/// Both must outlive it.
LinearMap covariance_of_adjoint(const Encoding& encoding, const RealVector& weights,
                                const CoilTransform& psi,
                                std::function<std::vector<Volume>(const CoilRows&)> adjoint);
/// Whether samples reach all frequencies of the grid, so that an image needs no lambda.
bool determines_all(const Trajectory& trajectory, const Grid& grid);
/// The covariance of the image of a solve with quadratic terms: R P R, where R is the inverse of
/// the system's A, or what `run` made of it where a solve stopped early, and P is the covariance
/// of F^H d, that of white noise, N, where it is null. The system must outlive it.
LinearMap covariance_of_solve(std::shared_ptr<System> system, std::optional<Iterations> run,
                              LinearMap of_fhd, double lambda);
/// The covariance of the image of a method that does not solve: F^H d over sum |S|^2.
LinearMap covariance_of_combined(const CoilRows& coil_maps, LinearMap of_fhd);

/// The memory of a noise map of a frame with `problems` right-hand sides, beside the frame's own
/// and a system for probes.
inline Cost cost_of_noise_map(std::size_t voxels, std::size_t problems) {
    constexpr std::size_t usual_probes = 150;
    // mean, squares and image, F^H d with noise on the host, and their sum
    const double volumes = 4.5 + static_cast<double>(problems);
    return Cost::on_host(volumes * static_cast<double>(voxels * sizeof(Complex)) +
                         bytes_of_products(voxels, usual_probes));
}

/// Adds the noise map of frame f to an image, with its statistics, and the g-factor where that is
/// defined and this image has it. `stops` are the frame's, `scan` as it is transformed, with
/// weights as they are, and the coil maps are those of the model.
void add_noise_map(Image& image, std::size_t f, const std::vector<Stop>& stops,
                   const ImageNoise& of_image, const Scan& scan, const Model& model,
                   const SolveOptions& options, Reporter& report);

} // namespace lsrecon
