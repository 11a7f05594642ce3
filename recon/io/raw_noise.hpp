#pragma once

#include <complex>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"

namespace lsrecon {

/// Noise measurements of raw data, kept as they are stored until it is known how the image was
/// sampled.
class RawNoise {
public:
    /// `values` are channels x samples x {real, imaginary}; `dwell` is the time of a sample, 0 when
    /// unknown. `acquisition` is its place in the file.
    void add(std::size_t acquisition, std::size_t channels, std::size_t samples,
             const float* values, double dwell);

    bool empty() const { return parts_.empty(); }

    struct Image {
        std::string file;
        std::string dataset; ///< of the acquisitions, for messages
        std::size_t channels = 0;
        double dwell = 0; ///< of its samples, in the same unit; 0 when unknown
        double noise_bandwidth = 1; ///< of noise, over that of a sample
    };
    /// All of it, C x K, as strong as the noise of the image's samples: n times
    /// sqrt(dwell of n / (dwell of the image * noise_bandwidth)), because noise grows with the root
    /// of the bandwidth. InputError for other channels, or a value that is not finite.
    CoilRows scaled_to(const Image& image, std::vector<std::string>& remarks) const;

private:
    struct Part {
        std::size_t acquisition;
        std::size_t channels;
        std::size_t samples;
        double dwell;
        std::vector<std::complex<float>> values; ///< channels x samples
    };
    std::vector<Part> parts_;
};

} // namespace lsrecon
