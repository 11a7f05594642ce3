// The noise map of an image by replicas of its noise, and the g-factor.

#pragma once

#include <functional>

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

/// The memory of a noise map of a frame with `problems` right-hand sides, beside the frame's own.
inline Cost cost_of_noise_map(std::size_t voxels, std::size_t problems) {
    // mean, squares and image, F^H d with noise on the host, and their sum
    const double volumes = 4.5 + static_cast<double>(problems);
    return Cost::on_host(volumes * static_cast<double>(voxels * sizeof(Complex)));
}

/// Adds the noise map of frame f to an image, with its statistics, and the g-factor where that is
/// defined and this image has it. `stops` are the frame's, `scan` as it is transformed, with
/// weights as they are, and the coil maps are those of the model.
void add_noise_map(Image& image, std::size_t f, const std::vector<Stop>& stops,
                   const NoisyFrame& frame, const Scan& scan, const Model& model,
                   const SolveOptions& options, std::size_t replicas, Reporter& report);

} // namespace lsrecon
