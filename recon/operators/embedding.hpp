#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/precision.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// The FFTs, of length L in each dimension, by which T, a convolution with Q, is computed.
///
/// Differences of two voxels, -(N-1)..N-1, stay apart in a period 2L from L = N on. The frequencies
/// 2g + s of one parity s, 0 or 1 in each dimension, are a transform of length L of values twisted
/// by exp(-i pi s.n / L) (operators/toeplitz.cpp), so that the period itself is never held. A GPU
/// takes longer to start the passes over a small period than to do them: there it is done whole.
struct Embedding {
    Embedding(const Grid& grid, bool on_host);

    /// L, or the length of a whole period where that is transformed whole: the next length at which
    /// FFTs are fast. The third of two dimensions is 1.
    std::array<std::size_t, 3> extents{1, 1, 1};
    /// The parities: two a dimension of more than one voxel; one for a whole period.
    std::vector<std::array<int, 3>> parities;

    std::size_t points() const { return extents[0] * extents[1] * extents[2]; }
    /// The number of `maps` that are transformed at a time: enough to keep a device busy with small
    /// images.
    std::size_t batch(std::size_t maps, Precision precision) const;
};

} // namespace lsrecon
