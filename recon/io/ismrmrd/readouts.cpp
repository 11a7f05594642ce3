// Crops lines by FFT, and finds the centre of reversed lines by comparing their energy with that of
// forward lines.

#include "io/ismrmrd/readouts.hpp"

#include <cmath>

// X_p = sum_i s_i exp(+i 2 pi i p / n) is the image along x at p / n of the field of view, whatever
// the position of the first sample does to its phase. With m values of p around 0 kept,
// s'_j = (1 / n) sum_p X_p exp(-i 2 pi j p / m).
// What lies at c comes to 0 by s_i exp(+i 2 pi i c), and goes back by s'_j exp(-i 2 pi j c n / m).

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

void ReadoutCrop::apply(std::vector<std::vector<std::complex<float>>>& values, double middle,
                        bool mirrored) const {
    const auto turned = [](std::size_t sample, double by) {
        return std::polar(1.0, 2 * pi * by * static_cast<double>(sample));
    };
    for (auto& samples : values) {
        const std::size_t n = samples.size();
        if (n == 0) {
            continue;
        }
        const std::size_t m = kept(n);
        std::vector<Complex> image(samples.begin(), samples.end());
        for (std::size_t i = 0; i < n && middle != 0; ++i) {
            image[i] *= turned(i, middle);
        }
        fft(n).backward(image.data());
        std::vector<Complex> kept_part(m);
        // The voxels below 0 are at the arrays' ends.
        const std::size_t below = mirrored ? m - m / 2 - 1 : m / 2;
        for (std::size_t p = 0; p < m; ++p) {
            kept_part[p] = image[p < m - below ? p : n - m + p];
        }
        fft(m).forward(kept_part.data());
        const double back = -middle * static_cast<double>(n) / static_cast<double>(m);
        samples.resize(m);
        for (std::size_t j = 0; j < m; ++j) {
            samples[j] =
                std::complex<float>(turned(j, back) * kept_part[j] / static_cast<double>(n));
        }
    }
}

void ReversedCentres::add(const std::vector<std::vector<std::complex<float>>>& values,
                          const std::vector<Vec3>& k, bool reversed, long shift) {
    for (std::size_t i = 0; i < k.size() && (shift != 0 || !reversed); ++i) {
        double energy = 0;
        for (const auto& row : values) {
            energy += static_cast<double>(std::norm(row[i]));
        }
        const long at = std::lround(k[i][0]);
        if (!std::isfinite(energy)) {
            continue; // of a frame that is left out
        }
        if (reversed) {
            by_start_[at] += energy;
            by_array_[at + shift] += energy;
            differ_ = true;
        } else {
            forward_[at] += energy;
        }
    }
}

bool ReversedCentres::count_in_array() const {
    const Profile centre{{0, 1.0}};
    const auto overlap = [&](const Profile& reversed) {
        double sum = 0;
        for (const auto& [at, energy] : forward_.empty() ? centre : forward_) {
            const auto found = reversed.find(at);
            sum += found == reversed.end() ? 0 : energy * found->second;
        }
        return sum;
    };
    return overlap(by_array_) > overlap(by_start_);
}

} // namespace lsrecon
