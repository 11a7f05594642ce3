// Holds Q, the convolution kernel of F^H F, as plain numbers on the host, and computes the key by
// which runs with the same trajectory, weights and grid find it.

#pragma once

#include <array>
#include <string>

#include "base/linear_algebra.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The engine and accuracy that made Q, kept in its key and its file beside the trajectory.
struct QMaking {
    std::string engine;
    double accuracy = 0; ///< bound of its relative L2 error; of an exact one its unit roundoff
};

/// Q as it is kept: plain numbers (operators/q.hpp).
struct StoredQ {
    Grid grid;
    ParkedVolume half; ///< at Voxels::half_differences(grid)
    double error = 0; ///< bound of its relative L2 error, by how it was made
};

/// Number of values of Q per dimension: 2N, and 1 for the third of two dimensions.
std::array<std::size_t, 3> q_extents(const Grid& grid);

/// Q at any difference from its values at half of them: Hermitian by construction, and zero where a
/// difference would be -N, which no two voxels have.
class QValues {
public:
    QValues(const Grid& grid, ComplexVector half);
    Complex at(long x, long y, long z) const;

private:
    ComplexVector half_;
    std::array<long, 3> minus_n_; ///< -N in each dimension
    std::array<long, 3> lengths_; ///< lengths of half the differences
    long origin_; ///< among those
};

/// SHA-256 of grid size, trajectory, phi and weights. Two scans with the same key share Q.
std::string q_key(const Trajectory& trajectory, const Grid& grid);

} // namespace lsrecon
