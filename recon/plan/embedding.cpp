#include "plan/embedding.hpp"

#include <algorithm>

#include "base/ranges.hpp"

namespace lsrecon {

namespace {

bool is_smooth(std::size_t length) {
    for (const std::size_t factor : {2, 3, 5, 7}) {
        while (length % factor == 0) {
            length /= factor;
        }
    }
    return length == 1;
}

} // namespace

Embedding::Embedding(const Grid& grid) : parities{{0, 0, 0}} {
    for (std::size_t d = 0; d < 3; ++d) {
        extents[d] = grid.size[d];
        while (!is_smooth(extents[d])) {
            ++extents[d];
        }
        if (grid.size[d] > 1) {
            const std::size_t even = parities.size();
            for (std::size_t i = 0; i < even; ++i) {
                parities.push_back(parities[i]);
                parities.back()[d] = 1;
            }
        }
    }
}

// In batches of equal size, as far as they can be.
std::size_t Embedding::batch(std::size_t maps, Precision precision) const {
    constexpr std::size_t most_bytes = std::size_t(1) << 26;
    const std::size_t bytes = points() * 2 * bytes_of(precision);
    const std::size_t affordable = std::max<std::size_t>(1, most_bytes / bytes);
    const std::size_t all = std::max<std::size_t>(maps, 1);
    return divide_up(all, divide_up(all, affordable));
}

} // namespace lsrecon
