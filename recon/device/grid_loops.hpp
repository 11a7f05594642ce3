#pragma once

#include <array>
#include <vector>

#include "device/device.hpp"

// The plain loops of the reference over a grid; x is the fastest dimension.

namespace lsrecon {

/// visit(n, its neighbour along d, whether it has none) for every voxel.
template <typename Visit>
void for_each_step(const std::array<std::size_t, 3>& size, std::size_t d, const Visit& visit) {
    const std::size_t stride = d == 0 ? 1 : d == 1 ? size[0] : size[0] * size[1];
    for (std::size_t n = 0; n < size[0] * size[1] * size[2]; ++n) {
        visit(n, n + stride, n / stride % size[d] + 1 == size[d]);
    }
}

/// visit(n, t, n + t step along d) for every voxel and tap of a periodic filter.
template <typename Visit> void for_each_tap(const std::array<std::size_t, 3>& size, std::size_t d,
                                            std::size_t step, const Visit& visit) {
    const std::size_t stride = d == 0 ? 1 : d == 1 ? size[0] : size[0] * size[1];
    for (std::size_t n = 0; n < size[0] * size[1] * size[2]; ++n) {
        const std::size_t at = n / stride % size[d];
        for (std::size_t t = 0; t < Taps().size(); ++t) {
            visit(n, t, n - at * stride + (at + t * step) % size[d] * stride);
        }
    }
}

/// visit(n, where it goes) for every voxel n.
template <typename Visit>
void for_each_interleaved(const std::array<std::size_t, 3>& size, const Visit& visit) {
    for (std::size_t n = 0; n < size[0] * size[1] * size[2]; ++n) {
        std::size_t place = 0;
        for (std::size_t d = 0, stride = 1; d < 3; stride *= size[d++]) {
            const std::size_t at = n / stride % size[d];
            place += stride * (at % 2 == 0 ? at / 2 : size[d] - 1 - at / 2);
        }
        visit(n, place);
    }
}

/// visit(w, y(k), y(N - k)), 0 < k < N / 2, for every pair of each dimension in turn.
template <typename Visit> void for_each_pair(const std::array<std::size_t, 3>& size,
                                             const std::vector<Complex>& phase_factors,
                                             std::vector<Complex>& y, const Visit& visit) {
    std::size_t first = 0; // of the phase factors of this dimension
    for (std::size_t d = 0, stride = 1; d < 3; stride *= size[d++]) {
        for (std::size_t n = 0; n < y.size(); ++n) {
            const std::size_t k = n / stride % size[d];
            if (k > 0 && 2 * k < size[d]) {
                visit(phase_factors[first + k], y[n], y[n + (size[d] - 2 * k) * stride]);
            }
        }
        first += size[d];
    }
}

} // namespace lsrecon
