#include "engines/nufft/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "base/tolerance.hpp"
#include "base/types.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t narrowest = 2;
constexpr std::size_t widest = 16;

/// Nodes and weights of Gauss-Legendre quadrature on -1..1.
struct Quadrature {
    std::vector<double> nodes;
    std::vector<double> weights;

    explicit Quadrature(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            double x = std::cos(pi * (static_cast<double>(i) + 0.75) /
                                (static_cast<double>(count) + 0.5));
            double slope = 0;
            for (int step = 0; step < 20; ++step) { // Newton's method on the Legendre polynomial
                double before = 1;
                double here = x;
                for (std::size_t n = 2; n <= count; ++n) {
                    const auto k = static_cast<double>(n);
                    const double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
                    before = here;
                    here = next;
                }
                slope = static_cast<double>(count) * (x * here - before) / (x * x - 1);
                x -= here / slope;
            }
            nodes.push_back(x);
            weights.push_back(2 / ((1 - x * x) * slope * slope));
        }
    }
};

const Quadrature& quadrature() {
    static const Quadrature of(96);
    return of;
}

bool is_smooth(std::size_t length) {
    for (const std::size_t factor : {2, 3, 5, 7}) {
        while (length % factor == 0) {
            length /= factor;
        }
    }
    return length == 1;
}

std::size_t smooth_length(double least) {
    auto length = static_cast<std::size_t>(std::ceil(least));
    while (!is_smooth(length)) {
        ++length;
    }
    return length;
}

} // namespace

SpreadingKernel::SpreadingKernel(std::size_t width, double oversampling)
    : width_(width), oversampling_(oversampling) {
    // Near pi width (1 - 1 / (2 oversampling)), where the transform falls fast enough (Barnett
    // 2021, Appl. Comput. Harmon. Anal. 51:1).
    const double around = pi * static_cast<double>(width) * (1 - 1 / (2 * oversampling));
    double best = around;
    double least = std::numeric_limits<double>::infinity();
    for (double factor = 0.80; factor < 1.06; factor += 0.01) {
        beta_ = factor * around;
        if (const double error = error_of_beta(); error < least) {
            least = error;
            best = beta_;
        }
    }
    beta_ = best;
    error_ = least;
}

double SpreadingKernel::value(double x) const {
    const double z = 2 * x / static_cast<double>(width_);
    return z * z < 1 ? std::exp(beta_ * (std::sqrt(1 - z * z) - 1)) : 0;
}

double SpreadingKernel::transform(double frequency) const {
    const double half = static_cast<double>(width_) / 2;
    double sum = 0;
    for (std::size_t i = 0; i < quadrature().nodes.size(); ++i) {
        const double x = half * quadrature().nodes[i];
        sum += half * quadrature().weights[i] * value(x) * std::cos(2 * pi * frequency * x);
    }
    return sum;
}

double SpreadingKernel::error_of_beta() {
    constexpr int frequencies = 12;
    constexpr int places = 24;
    double largest = 0;
    for (int i = 0; i <= frequencies; ++i) {
        const double frequency = i / (2 * oversampling_ * frequencies);
        const double exact = transform(frequency);
        for (int p = 0; p < places; ++p) {
            const double x = static_cast<double>(p) / places;
            std::complex<double> sum = 0;
            const auto reach = static_cast<int>(width_ / 2 + 1);
            for (int j = -reach; j <= reach; ++j) {
                sum += std::polar(value(x - j), 2 * pi * frequency * (x - j));
            }
            largest = std::max(largest, std::abs(sum - exact) / std::abs(exact));
        }
    }
    return largest;
}

namespace {

/// They take a while to make, and are few.
const SpreadingKernel& kernel_of(std::size_t width, double oversampling) {
    static thread_local std::map<std::pair<std::size_t, double>, SpreadingKernel> known;
    const std::pair<std::size_t, double> key{width, oversampling};
    return known.try_emplace(key, width, oversampling).first->second;
}

} // namespace

NufftGrid choose_nufft_grid(const std::array<std::size_t, 3>& size, std::size_t samples,
                            double accuracy, Precision precision) {
    constexpr double seconds_of_a_point = 4e-10; // of a sample's, on one core
    constexpr double seconds_of_a_butterfly = 3e-10;
    const double roundoff = unit_roundoff(precision);
    NufftGrid best{kernel_of(narrowest, 2)};
    best.error = std::numeric_limits<double>::infinity();
    bool found = false;
    for (const double oversampling : {1.25, 1.5, 1.75, 2.0, 2.5}) {
        for (std::size_t width = narrowest; width <= widest; ++width) {
            const SpreadingKernel& kernel = kernel_of(width, oversampling);
            NufftGrid grid{kernel};
            double points = 1;
            double of_sample = 1;
            double dimensions = 0;
            for (std::size_t d = 0; d < 3; ++d) {
                if (d < 2 || size[d] > 1) { // rows and planes of one point, too
                    const double least = std::max(oversampling * static_cast<double>(size[d]),
                                                  2.0 * static_cast<double>(width));
                    grid.fine[d] = smooth_length(least);
                    points *= static_cast<double>(grid.fine[d]);
                    of_sample *= static_cast<double>(width);
                    ++dimensions;
                }
            }
            // Of each dimension; of kernels, values and the FFT.
            grid.error = dimensions * kernel.error() + 8 * roundoff +
                         tolerance::fft(static_cast<std::size_t>(points), roundoff);
            grid.seconds = seconds_of_a_point * of_sample * static_cast<double>(samples) +
                           seconds_of_a_butterfly * points * std::log2(1 + points);
            const bool serves = grid.error <= accuracy;
            if (serves ? !found || grid.seconds < best.seconds
                       : !found && grid.error < best.error) {
                best = grid;
                found = found || serves;
            }
        }
    }
    return best;
}

} // namespace lsrecon
