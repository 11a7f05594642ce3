#pragma once

#include <string>

#include "base/cost.hpp"
#include "base/report.hpp"
#include "device/volume.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// What makes Q, in its key and its file beside the sampling.
struct QMaking {
    std::string engine;
    double accuracy = 0; ///< bound of its relative L2 error; of an exact one its unit roundoff
};
/// At these voxels, or at half of the differences.
QMaking making_of_q(Transforms& transforms, const Sampling& sampling, const Voxels& voxels);

/// Q at every difference of two voxels of a grid: the kernel of F^H F.
struct Q {
    Grid grid;
    /// At Voxels::half_differences(grid); Q(-d) = conj Q(d) gives the rest.
    Volume half;
    double error = 0; ///< bound of its relative L2 error, by how it was made

    static Cost cost(const Grid& grid, Precision precision);
    double at_zero() const; ///< Q(0) = sum of w |phi|^2
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
    std::array<long, 3> minus_n_; ///< of each dimension
    std::array<long, 3> lengths_; ///< of half the differences
    long origin_; ///< among those
};

/// SHA-256 of grid size, trajectory, phi and weights. Two scans with the same key share Q.
std::string q_key(const Sampling& sampling, const Grid& grid);

/// The largest bound that a Q made before may have in place of one that these transforms would
/// make: the accuracy that the user asks for; else that which an image needs, or the bound of
/// theirs, and of an exact engine ten times that, since exact engines of one precision differ by
/// less.
double largest_q_error(Transforms& transforms, const Sampling& sampling, const Grid& grid);

/// Computes half of the differences.
Q compute_q(Transforms& transforms, const Sampling& sampling, const Grid& grid,
            Listener listener = {});
/// The same as the stage "q".
Q compute_q_in_stage(Transforms& transforms, const Sampling& sampling, const Grid& grid,
                     Reporter& report);

/// Several of the same trajectory, each with its real weights, M numbers of any sign.
std::vector<Q> compute_weighted_qs(Transforms& transforms, const std::vector<Vec3>& trajectory,
                                   const std::vector<RealVector>& weights, const Grid& grid,
                                   Listener listener);

/// Q at the positions themselves, not at their differences: N values.
OnHost compute_q_at(Transforms& transforms, const Sampling& sampling, const Voxels& voxels,
                    Reporter& report);

} // namespace lsrecon
