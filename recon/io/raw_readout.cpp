#include "io/raw_readout.hpp"

#include <cmath>

#include "base/types.hpp"

// X_p = sum_i s_i exp(+i 2 pi i p / n) is the image along x at p / n of the field of view, whatever
// the position of the first sample does to its phase. With m values of p around 0 kept,
// s'_j = (1 / n) sum_p X_p exp(-i 2 pi j p / m).

namespace lsrecon {

std::size_t ReadoutCrop::kept(std::size_t n) const {
    // A fraction of a pixel is kept whole; rounding of the factor makes no pixel.
    constexpr double rounding = 1e-6;
    const double exact = static_cast<double>(n) * (factor_ - rounding);
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(exact)));
}

const Fft<double>& ReadoutCrop::fft(std::size_t n) const {
    const auto extents = std::array<std::size_t, 3>{n, 1, 1};
    return plans_.try_emplace(n, extents).first->second;
}

void ReadoutCrop::apply(std::vector<std::vector<std::complex<float>>>& values) const {
    for (auto& samples : values) {
        const std::size_t n = samples.size();
        if (n == 0) {
            continue;
        }
        const std::size_t m = kept(n);
        std::vector<Complex> image(samples.begin(), samples.end());
        fft(n).backward(image.data());
        std::vector<Complex> middle(m);
        // Voxels -floor(m / 2) to m - floor(m / 2) - 1; those below 0 are at the arrays' ends.
        for (std::size_t p = 0; p < m; ++p) {
            middle[p] = image[p < m - m / 2 ? p : n - m + p];
        }
        fft(m).forward(middle.data());
        samples.resize(m);
        for (std::size_t j = 0; j < m; ++j) {
            samples[j] = std::complex<float>(middle[j] / static_cast<double>(n));
        }
    }
}

} // namespace lsrecon
