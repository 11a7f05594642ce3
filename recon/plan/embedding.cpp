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

std::array<std::size_t, 3> embedding_extents(const Grid& grid) {
    std::array<std::size_t, 3> extents{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        extents[d] = 2 * grid.size[d] - 1;
        while (!is_smooth(extents[d])) {
            ++extents[d];
        }
    }
    return extents;
}

ResidentMemory resident_memory(const Grid& grid, std::size_t coil_maps, std::size_t real_bytes) {
    const auto real = static_cast<double>(real_bytes);
    const double complex = 2 * real;
    constexpr double vectors = 4; // x, r, p and A p
    const std::array<std::size_t, 3> extents = embedding_extents(grid);
    const double padded = static_cast<double>(extents[0]) * static_cast<double>(extents[1]) *
                          static_cast<double>(extents[2]);
    const auto voxels = static_cast<double>(grid.voxels());
    const auto maps = static_cast<double>(coil_maps) * voxels;
    // The half of Q is there only until the spectrum is made of it, before the rest is.
    const double half = padded / 2 * complex;
    const double solving = (vectors * voxels + maps) * complex;
    return {padded * (complex + real) + std::max(half, solving), std::max(padded, maps) * complex};
}

} // namespace lsrecon
