// Delays of gradients and phases of readouts by their direction.

#pragma once

#include <string>
#include <vector>

#include "scan/sample_parameters.hpp"

namespace lsrecon {

/// Samples lie at k + G dk/dt, with G symmetric, where t counts dwell times: gradients along the
/// axes of the grid are late or early. Eddy currents of the main field turn each readout by the
/// phases times the cosines of its angles with the axes.
struct Delays {
    /// Dwell times: x, y and xy of readouts in a plane; x, y, z, xy, xz and yz of others. The cross
    /// terms may be missing.
    std::vector<double> of_axes;
    std::vector<double> phases; ///< rad; x and y, and z of readouts out of a plane; or none

    bool any() const { return !of_axes.empty(); }
    /// "X,Y,XY:COS,SIN"
    std::string word() const;
    Delays rounded() const; ///< to thousandths
    /// Takes such a word. What was expected in place of one that it refuses, else "".
    std::string take(const std::string& word);
};
/// The form of such a word in help.
constexpr const char* form_of_delays = "X,Y[,XY|Z][:COS,SIN]";

/// The readouts of a trajectory and their directions.
class ReadoutCourse {
public:
    /// The trajectory must outlive it.
    explicit ReadoutCourse(const Trajectory& trajectory);

    std::vector<std::size_t> ends; ///< samples up to the end of each readout
    std::vector<Vec3>
        directions; ///< of length 1, of each readout, from its first sample to its last
    bool in_plane = true; ///< no readout has a component along z
    /// Readouts are straight lines in several directions, each through the middle of its plane or
    /// of k-space.
    bool is_radial = false;
    /// Samples follow each other in several directions: an image makes up for what lines of one
    /// direction, or points in no order, would show.
    bool shows_delays = false;

    std::size_t first(std::size_t readout) const { return readout == 0 ? 0 : ends[readout - 1]; }
    std::size_t readout_of(std::size_t sample) const;
    /// dk/dt, cycles per field of view and dwell time.
    Vec3 velocity(std::size_t sample) const;
    /// The same where the sample's readout is known.
    Vec3 velocity(std::size_t sample, std::size_t readout) const;

    /// Readouts, spread over all, that are enough to know what all are like.
    std::vector<std::size_t> some() const;

private:
    void look_at_velocities();
    bool are_lines_through_middle() const;

    const std::vector<Vec3>& k_;
};

/// The parameters of Delays at these samples of a trajectory, in their order: delays with cross
/// terms (x, y, xy, or x, y, z, xy, xz, yz), then phases (phase_x, phase_y, phase_z).
std::vector<SampleParameter> parameters_of(const ReadoutCourse& course,
                                           const std::vector<std::size_t>& samples);
/// The readouts of a trajectory as such values say that they were taken.
struct MovedReadouts {
    Trajectory trajectory;
    RealVector phases; ///< M, rad
};
MovedReadouts moved_by(const Delays& delays, const Trajectory& trajectory);
/// The same where its course is known.
MovedReadouts moved_by(const Delays& delays, const Trajectory& trajectory,
                       const ReadoutCourse& course);
/// The values of these parameters. UsageError where delays are for readouts of another kind.
RealVector values_of(const Delays& delays, bool in_plane);
/// The delays of such values.
Delays delays_of(const RealVector& values, bool in_plane);

/// The delays of spokes by the energy along them: it lies as far from k = 0 on two spokes of
/// opposite directions, whatever the object, its phase and that of the readouts. Zeros where
/// spokes do not reach to both sides of k = 0.
RealVector delays_of_crossing_spokes(const Trajectory& trajectory, const CoilRows& samples,
                                     const ReadoutCourse& course);

} // namespace lsrecon
