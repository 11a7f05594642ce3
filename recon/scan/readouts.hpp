// Readouts of a frame that do not belong together: lines that run the other way than the scan says,
// and phases or strengths that differ from readout to readout.

#pragma once

#include "base/coil_rows.hpp"
#include "base/finding.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The readouts of a trajectory whose format does not say where they end: of one length, with a
/// break in the course of k between two of them. None where there are no such breaks.
FrameReadouts readouts_of(const Trajectory& trajectory);

/// What is wrong with the readouts of a frame, by its samples alone; nothing where these do not
/// decide. Cartesian lines are compared with their neighbours, readouts that cross k = 0 with each
/// other there.
///
/// A line is predicted from the two beside it by a kernel over coils and samples. The kernel of one
/// class of lines (every other line, those that run backwards, those of a segment) has to predict
/// the lines of the other class: a phase between the classes shows doubled, a gain squared. It is
/// reported where it leaves at least a tenth more of the samples unexplained than the kernel with
/// it does, and the gain has a t-value of 5 over the lines.
Findings findings_on_readouts(const Grid& grid, const Trajectory& trajectory,
                              const CoilRows& samples, const FrameReadouts& readouts);
/// What readouts that cross k = 0 show of it: they measure the same there, but for noise.
Findings findings_at_centre(const Trajectory& trajectory, const CoilRows& samples,
                            const FrameReadouts& readouts);

} // namespace lsrecon
