// The FFTs of a convolution with Q: their lengths, and the boxes of voxels that they pad.

#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/types.hpp"
#include "device/device.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// The FFTs, of length L in each dimension, by which T, a convolution with Q, is computed.
///
/// Differences of two voxels, -(N-1)..N-1, stay apart in a period 2L from L = N on. The frequencies
/// 2g + s of one parity s, 0 or 1 in each dimension, are a transform of length L of values twisted
/// by exp(-i pi s.n / L) (operators/gram.cpp), so that the period itself is never held.
struct Embedding {
    Embedding(const Grid& grid, bool on_host);

    /// L: the next length at which FFTs are fast. The third of two dimensions is 1.
    std::array<std::size_t, 3> extents{1, 1, 1};
    /// The parities: two a dimension of more than one voxel.
    std::vector<std::array<int, 3>> parities;

    std::size_t points() const { return extents[0] * extents[1] * extents[2]; }
    /// The number of `maps` that are transformed at a time: enough to keep a device busy with small
    /// images.
    std::size_t batch(std::size_t maps, Precision precision) const;
    /// The points of workspace for a batch.
    std::size_t workspace(std::size_t batch, Precision precision) const;

private:
    /// The periods of workspace that a map takes: on the host, one, or both parities of x of two
    /// dimensions. A GPU transforms a dimension of all parities at a time, of one parity of x at
    /// least (FftPlan::add_convolution).
    std::size_t periods(Precision precision) const;

    bool on_host_;
};

/// The box with its factors on the device: factor(d, n) of the value n of dimension d.
Box with_factors(Device& device, Precision precision, Box box,
                 const std::function<Complex(std::size_t d, std::size_t n)>& factor);

} // namespace lsrecon
