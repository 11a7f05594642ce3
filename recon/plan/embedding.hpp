#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "scan/grid.hpp"

namespace lsrecon {

/// How T, a convolution with Q, is done by FFTs of length L in each dimension.
///
/// Differences of two voxels, -(N-1)..N-1, stay apart in a period 2L from L = N on. The frequencies
/// 2g + s of one parity s, 0 or 1 in each dimension, are a transform of length L of values twisted
/// by exp(-i pi s.n / L) (kernels/solve.cl), so that the period itself is never held.
struct Embedding {
    explicit Embedding(const Grid& grid);

    /// L: the next product of 2, 3, 5 and 7, the lengths that every FFT is fast and exact at. 1 for
    /// the third of two dimensions.
    std::array<std::size_t, 3> extents{1, 1, 1};
    /// Two a dimension of more than one voxel.
    std::vector<std::array<int, 3>> parities;

    std::size_t points() const { return extents[0] * extents[1] * extents[2]; }
};

/// Device memory in bytes of a resident system (backend/resident_system.hpp) whose real numbers
/// have `real_bytes`.
struct ResidentMemory {
    double total;
    double largest_buffer;
};
ResidentMemory resident_memory(const Grid& grid, std::size_t coil_maps, std::size_t real_bytes);

} // namespace lsrecon
