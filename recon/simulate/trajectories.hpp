// The trajectories that a simulation can have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

struct TrajectoryOptions {
    Grid grid; ///< the trajectory fills -N/2..N/2 of each dimension
    std::size_t samples_per_readout = 0; ///< 0: enough for the matrix
    std::size_t readouts = 0; ///< 0: enough for the matrix (Nyquist), divided by `undersampling`
    double undersampling = 1; ///< how many times sparser than Nyquist
    std::size_t frame = 0; ///< golden angles and means go on from frame to frame; others repeat
    std::uint64_t seed = 1; ///< seed of the trajectories that draw random numbers
};

/// M positions in cycles per field of view, readout after readout.
struct Readouts {
    std::vector<Vec3> k;
    std::vector<std::size_t> ends; ///< positions up to the end of each readout
};

/// One way to sample k-space, never beyond N/2.
struct TrajectoryDesign {
    std::string name;
    std::string summary;
    std::vector<int> dimensions; ///< dimensions of the grids that it can sample
    Readouts (*make)(const TrajectoryOptions& options);
};

/// The table of trajectories: one row each.
const std::vector<TrajectoryDesign>& trajectory_designs();

/// UsageError when the name is unknown, or the options do not go with it.
Readouts make_readouts(const std::string& name, const TrajectoryOptions& options);

/// The positions of make_readouts() alone.
std::vector<Vec3> make_trajectory(const std::string& name, const TrajectoryOptions& options);

} // namespace lsrecon
