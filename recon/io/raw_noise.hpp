#pragma once

#include <complex>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "io/raw_acquisition.hpp"

namespace lsrecon {

/// Noise measurements of raw data, kept as they are stored until it is known how the image was
/// sampled.
class RawNoise {
public:
    void add(const RawAcquisition& acquisition);

    bool empty() const { return parts_.empty(); }

    struct Image {
        std::string file;
        std::string dataset; ///< of the acquisitions, for messages
        std::size_t channels = 0;
        double dwell = 0; ///< of its samples in s, 0 when unknown
        double noise_bandwidth = 1; ///< of noise, over that of a sample
    };
    /// All of it, C x K, as strong as the noise of the image's samples: n times
    /// sqrt(dwell of n / (dwell of the image * noise_bandwidth)), because noise grows with the root
    /// of the bandwidth. All must have the image's channels. InputError for a value that is not
    /// finite, or more samples to discard than there are.
    CoilRows scaled_to(const Image& image, std::vector<std::string>& remarks) const;

private:
    struct Part {
        RawAcquisition acquisition; ///< without its arrays
        std::vector<std::complex<float>> values; ///< channels x samples
    };
    std::vector<Part> parts_;
    std::size_t without_samples_ = 0; ///< acquisitions of which none is kept
};

} // namespace lsrecon
