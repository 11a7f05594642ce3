#include "plan/embedding.hpp"

#include <algorithm>

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

ResidentMemory resident_memory(const Grid& grid, std::size_t coil_maps, std::size_t real_bytes) {
    const auto real = static_cast<double>(real_bytes);
    const double complex = 2 * real;
    constexpr double vectors = 4; // x, r, p and A p
    const Embedding embedding(grid);
    const auto padded = static_cast<double>(embedding.points());
    const double period = padded * static_cast<double>(embedding.parities.size());
    const auto voxels = static_cast<double>(grid.voxels());
    const auto maps = static_cast<double>(coil_maps) * voxels;
    // The half of Q is there only until the spectrum is made of it, before the rest is.
    const double half = period / 2 * complex;
    const double solving = (vectors * voxels + maps) * complex;
    return {padded * complex + period * real + std::max(half, solving),
            std::max(half, maps * complex)};
}

} // namespace lsrecon
