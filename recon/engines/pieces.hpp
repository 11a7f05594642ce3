// The division of a transform to what a device holds: pieces, and chunks and blocks within one.

#pragma once

#include <cstddef>

#include "base/computation.hpp"
#include "base/ranges.hpp"
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

/// The limits of a device by which the transforms divide their work.
struct DeviceLimits {
    std::size_t constant_bytes = 64 * 1024;
    std::size_t max_allocation_bytes = std::size_t(1) << 30;
};

/// The division of one transform.
struct TransformPlan {
    std::size_t coils_per_bundle; ///< coils that share the exponentials of a pair
    std::size_t coil_bundles;
    std::size_t sources_per_chunk;
    std::size_t points_per_block;
};

/// The memory of one source and of one sum.
struct SourceShape {
    std::size_t number_bytes = 4; ///< bytes of a real number
    std::size_t numbers_of_a_position = 6;
    std::size_t numbers_of_a_value = 2; ///< 1 for real values
};

/// Groups are of equal size, at most 8 coils, so that the sums stay in registers and one program
/// serves all bundles. Chunks fill the device's constant memory up to 2048 sources, enough to make
/// the cost of launches negligible. Blocks bound the device memory and the time of one launch,
/// which displays and watchdogs limit.
TransformPlan plan_transform(const DeviceLimits& limits, std::size_t coils,
                             const SourceShape& shape);

} // namespace lsrecon
