// Q, the kernel of F^H F on a grid, and how it is computed.

#pragma once

#include <string>

#include "base/computation.hpp"
#include "base/report.hpp"
#include "device/volume.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "scan/scan.hpp"
#include "scan/stored_q.hpp"

namespace lsrecon {

/// The description of how these transforms make Q at these voxels, or at half of the differences.
QMaking making_of_q(Transforms& transforms, const Trajectory& trajectory, const Voxels& voxels);

/// Q at every difference of two voxels of a grid: the kernel of F^H F.
struct Q {
    Grid grid;
    /// Q at Voxels::half_differences(grid); Q(-d) = conj Q(d) gives the rest.
    Volume half;
    double error = 0; ///< bound of its relative L2 error, by how it was made

    static Cost cost(const Grid& grid, Precision precision);
    double at_zero() const; ///< Q(0) = sum of w |phi|^2
};
/// Q in the memory of the host, and Q moved back to a device where it was on one.
StoredQ stored(const Q& q);
Q restored(const StoredQ& stored, Device& device);

/// The largest bound that a Q made before may have in place of one that these transforms would
/// make: the accuracy that the user asks for; else that which an image needs, or the bound of
/// theirs, and of an exact engine ten times that, since exact engines of one precision differ by
/// less.
double largest_q_error(Transforms& transforms, const Trajectory& trajectory, const Grid& grid);

/// Computes half of the differences.
Q compute_q(Transforms& transforms, const Trajectory& trajectory, const Grid& grid,
            Listener listener = {});
/// Computes half of the differences as the stage "q".
Q compute_q_in_stage(Transforms& transforms, const Trajectory& trajectory, const Grid& grid,
                     Reporter& report);

/// Several Q of the same trajectory, each with its real weights, M numbers of any sign.
std::vector<Q> compute_weighted_qs(Transforms& transforms, const std::vector<Vec3>& positions,
                                   const std::vector<RealVector>& weights, const Grid& grid,
                                   Listener listener);

/// Q at the positions themselves, not at their differences: N values.
OnHost compute_q_at(Transforms& transforms, const Trajectory& trajectory, const Voxels& voxels,
                    Reporter& report);

} // namespace lsrecon
