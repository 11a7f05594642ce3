// Applies the soft threshold on a device.

#include "operators/proximal.hpp"

#include <cmath>
#include <limits>

#include "base/types.hpp"
#include "device/host_loops.hpp"
#include "device/kernel.hpp"

namespace lsrecon {

namespace {

// The arithmetic is in doubles: roots of floats that are taken several at a time are not right to
// the last bit.
template <typename Real> void shrink_loops(std::complex<Real>* y, std::size_t first,
                                           std::size_t count, std::size_t parts, std::size_t images,
                                           std::size_t apart, double length) {
    constexpr std::size_t at_a_time = 1024;
    const auto shorten_some = [&](const Range& range, Eigen::ArrayXd& factors) {
        const auto part = [&](std::size_t i) {
            return y + first + i / parts * apart + i % parts * count + range.first;
        };
        factors.setZero(static_cast<Eigen::Index>(range.count));
        double* const f = factors.data();
        for (std::size_t i = 0; i < images * parts; ++i) {
            for_each_in_a_row(range.count, [f, of = part(i)](std::size_t n) {
                const double real = of[n].real();
                const double imaginary = of[n].imag();
                f[n] += real * real + imaginary * imaginary;
            });
        }
        // Vectors of length 0 stay 0 with any factor, but the quotient 0 / 0 must not occur.
        constexpr double smallest = std::numeric_limits<double>::min();
        factors = (1 - length / factors.sqrt().max(smallest)).max(0.0);
        for (std::size_t i = 0; i < images * parts; ++i) {
            for_each_in_a_row(range.count, [f, of = part(i)](std::size_t n) {
                of[n] *= static_cast<Real>(f[n]);
            });
        }
    };
    for_each_range_in_parallel(count, cores_for(images * parts * count), [&](const Range& some) {
        Eigen::ArrayXd factors;
        for (const Range& range : split_into_ranges(some.count, at_a_time)) {
            shorten_some({some.first + range.first, range.count}, factors);
        }
    });
}

constexpr Kernel shrink{"proximal.cl", "shrink", &shrink_loops<float>, &shrink_loops<double>};

} // namespace

void SoftThreshold::apply(Device& device, const ProximalStep& step, std::vector<Array>& z) const {
    for (const Array& of_frame : z) {
        for (const Penalised& of : vectors_) {
            shrink.run(device, {of.count, 1, 1}, of_frame, of.first, of.count, of.parts, of.images,
                       of.apart, of.share * step.length() / step.penalty);
        }
    }
}

void SoftThreshold::repeat(std::size_t images, std::size_t apart) {
    for (Penalised& of : vectors_) {
        of.images = images;
        of.apart = apart;
    }
}

} // namespace lsrecon
