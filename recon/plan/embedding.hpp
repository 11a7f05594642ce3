#pragma once

#include <array>
#include <cstddef>

#include "scan/grid.hpp"

namespace lsrecon {

/// Extents of the periodic grid in which T is a convolution: at least 2N - 1 in each dimension of
/// the grid, so that the differences -(N-1)..N-1 of two voxels stay apart, and a product of
/// 2, 3, 5 and 7, the lengths that every FFT is fast and exact at. 1 for the third of two
/// dimensions.
std::array<std::size_t, 3> embedding_extents(const Grid& grid);

/// Device memory in bytes of a resident system (backend/resident_system.hpp) whose real numbers
/// have `real_bytes`.
struct ResidentMemory {
    double total;
    double largest_buffer;
};
ResidentMemory resident_memory(const Grid& grid, std::size_t coil_maps, std::size_t real_bytes);

} // namespace lsrecon
