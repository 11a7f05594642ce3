#include "operators/embedding.hpp"

#include <algorithm>

#include "base/fft.hpp"
#include "base/ranges.hpp"

namespace lsrecon {

Embedding::Embedding(const Grid& grid, bool on_host) : parities{{0, 0, 0}} {
    constexpr std::size_t small = std::size_t(1) << 20;
    for (std::size_t d = 0; d < 3; ++d) {
        extents[d] = fast_length(2 * grid.size[d] - 1);
    }
    if (!on_host && points() <= small) {
        return;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        extents[d] = fast_length(grid.size[d]);
        if (grid.size[d] > 1) {
            const std::size_t even = parities.size();
            for (std::size_t i = 0; i < even; ++i) {
                parities.push_back(parities[i]);
                parities.back()[d] = 1;
            }
        }
    }
}

// The batches are of equal size, as far as they can be.
std::size_t Embedding::batch(std::size_t maps, Precision precision) const {
    constexpr std::size_t most_bytes = std::size_t(1) << 26;
    const std::size_t bytes = points() * 2 * bytes_of(precision);
    const std::size_t affordable = std::max<std::size_t>(1, most_bytes / bytes);
    const std::size_t all = std::max<std::size_t>(maps, 1);
    return divide_up(all, divide_up(all, affordable));
}

} // namespace lsrecon
