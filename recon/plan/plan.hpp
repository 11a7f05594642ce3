// The plan of a reconstruction: routes, engines, seconds and memory.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "encoding/least_squares.hpp"
#include "plan/options.hpp"

namespace lsrecon {

/// How the frames of one trajectory are transformed and multiplied.
struct TrajectoryPlan {
    const Trajectory* trajectory; ///< of the scan
    std::size_t frames; ///< that have it
    std::string engine = {}; ///< of F^H d; "" for a method that takes none
    double error = 0; ///< bound of its relative L2 error
    Route route = Route::q;
};

/// The plans of all trajectories of a scan, in the order in which they first occur: recon executes
/// them and predict prints them. `settings` are those before numbers are chosen, `maps` the coil
/// maps of the image or 0; `with_q` is whether the user brings Q.
std::vector<TrajectoryPlan> plan_trajectories(Transforms& transforms, const SolveOptions& settings,
                                              const Scan& scan, const Formulation& formulation,
                                              std::size_t maps, bool with_q);

/// The way in which a scan is reconstructed, its seconds and its memory.
struct Plan {
    std::vector<TrajectoryPlan> trajectories;
    /// Seconds over all frames, by names as of Reporter::stage_seconds(), in the order of their
    /// first scopes.
    std::vector<std::pair<std::string, double>> stages;
    double spread = 1; ///< nine of ten runs take between seconds() over it and times it
    double device_bytes = 0; ///< at most at once; 0 where the device's memory is the host's
    double host_bytes = 0; ///< the same
    int iterations = 0; ///< the most that the options allow; 0 of none
    std::string assumed = {}; ///< iterations that the seconds are of, in words; "" for the most

    double seconds() const;
    double seconds_of(const std::string& stage) const; ///< 0 for one that it has not
};

/// Plans a reconstruction from the costs of what will run. The scan has no samples, and the device
/// computes nothing. The image is on `grid`; `field` is null without off-resonance; the file of the
/// scan has `file_bytes` bytes.
Plan plan_of(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
             const Grid& grid, const std::shared_ptr<const OffResonance>& field, double file_bytes);

/// How the products of a trajectory that so many frames have, on average, are made; `frames` is 0
/// where Q is given. Exact transforms cost too much to take them in every product; others are
/// taken where they take less than Q. By the model of the machine: another route is another image
/// to the last bit.
Route route_of(Transforms& transforms, const SamplePoints& points, const Formulation& formulation,
               const SolveOptions& settings, std::size_t maps, double frames);

} // namespace lsrecon
