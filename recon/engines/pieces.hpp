#pragma once

#include <cstddef>

#include "base/computation.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// A transform from `sources` to `points`, samples and voxels or voxels and samples, of every coil.
struct TransformShape {
    std::size_t coils;
    std::size_t sources;
    std::size_t points;
    std::size_t points_together; ///< points come in multiples of this: rows or planes of a grid
};

/// The size of one piece of the transform.
struct PieceSizes {
    std::size_t coils;
    std::size_t sources;
    std::size_t points;
};

/// The largest pieces that fit half of the `room` that a device has, in bytes, and its largest
/// array; the other half is for sums and factors. Coils are divided first, which costs nothing.
PieceSizes fit_pieces(const TransformShape& shape, double room, double largest_array,
                      Precision precision);

/// The bytes of positions, order and phases, as engines of a device keep them.
double bytes_of_positions(std::size_t sources, std::size_t points);

/// The cost of such a piece on the device.
Cost cost_of_pieces(const PieceSizes& pieces, Precision precision);

} // namespace lsrecon
