// Phases of Cartesian lines: those that run backwards, and those of other shots.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/coil_rows.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The direction and the shot of each readout of a frame whose readouts are lines.
struct LineClasses {
    std::vector<bool> backward;
    std::vector<std::size_t> shots; ///< shot of each, from 0 on
    std::size_t count = 1; ///< shots; 1 where they are not known, or are many
    bool both_ways = false; ///< some lines of the first shot run backwards, others do not
    std::size_t axis = 0;
    bool evenly = true; ///< samples lie evenly apart: no gradient ramps while they are taken

    /// The phase of a readout by LinePhases::values; phases of shots that these lack are 0.
    double phase_of(const RealVector& values, std::size_t readout) const;
    /// The part of a shift by which lines of one direction are moved. Where gradients ramp, half
    /// of it is due to the others, which lie as much further back.
    double share_of_shift(bool is_backward) const;
};
/// None where the readouts are no lines of one axis.
std::optional<LineClasses> line_classes(const std::vector<Vec3>& positions,
                                        const FrameReadouts& readouts);

/// The phases of the lines of a frame by its samples alone (docs/maths.md): those by which each
/// line is best predicted from the two beside it, by one kernel over coils and samples for all
/// lines. Nothing where too few lines lie beside each other, or where lines of one class have
/// samples elsewhere.
std::optional<LinePhases> line_phases(const Trajectory& trajectory, const CoilRows& samples,
                                      const FrameReadouts& readouts, const LineClasses& classes);

/// The ghost that such phases make, as a share of an object of half the field of view.
double ghost_of(const LinePhases& phases);
/// Its standard deviation where there is none.
double ghost_deviation(const LinePhases& phases);
/// The distance of the phases from none, in standard deviations.
double significance(const LinePhases& phases);

/// Whether such a ghost is known, be it none; whether there is one beyond doubt.
bool is_known(const LinePhases& phases);
bool is_ghost(const LinePhases& phases);

/// Whether a finding says that lines differ by a phase or a shift, which is looked at again when
/// the scan is prepared.
bool is_about_line_phases(const Finding& finding);

/// Positions with the shift of lines that run backwards. Each sample moves by its own distance from
/// the next.
std::vector<Vec3> shifted_lines(const std::vector<Vec3>& positions, const FrameReadouts& readouts,
                                const LineClasses& classes, double shift);
/// Takes the phases out of samples.
void remove_phases(const LinePhases& phases, const FrameReadouts& readouts,
                   const LineClasses& classes, CoilRows& samples);

} // namespace lsrecon
