#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// Samples as L lines along one dimension of a grid, each with N positions that are 1 cycle/FOV
/// apart, N the grid's voxels in that dimension. k and k + N are the same position for voxels of
/// the grid, so that the positions of a line are all values of k modulo N, from any offset on: F of
/// a line is a discrete Fourier transform, which can be undone.
struct CompleteLines {
    std::size_t dimension = 0;
    std::size_t length = 0; ///< N
    std::vector<std::size_t> samples; ///< L x N: of a line that with floor(k) = 0, 1, ... modulo N

    std::size_t count() const { return length > 0 ? samples.size() / length : 0; }
};

/// Lines, or what is missing: "33 of its 64 lines lack samples".
struct LinesFound {
    CompleteLines lines; ///< none unless all samples are on complete ones
    std::string missing;
};

/// The lines along a dimension of more than one voxel, whatever the order of the samples. Exactly
/// equal positions are tried first; if they make no complete lines, positions within 1e-6 cycles a
/// voxel count as equal. What a line's samples are multiplied by must be the same along it:
/// weights, phi, and with off-resonance the time.
LinesFound lines_along(std::size_t dimension, const Sampling& sampling, const Grid& grid,
                       bool off_resonance);

} // namespace lsrecon
