#pragma once

#include <optional>
#include <vector>

#include "model/calibration.hpp"
#include "model/prepared_frames.hpp"

namespace lsrecon {

/// The calibration of some frames that share coil maps, none of them a bad one. Frames that fill as
/// much of the centre of k-space as all of them do are calibrated one by one, up to eight of them:
/// what moves has signal elsewhere in each. Where all together fill more, as spokes that go on from
/// frame to frame, their samples are taken for those of one image, the mean over time; unless the
/// frames differ too much for that, as contrasts do, and one of them can be calibrated alone. None
/// where every frame is zeros; InputError where the centre is sampled too sparsely or no image
/// comes near all frames.
std::optional<Calibration> calibrate_frames(Transforms& transforms, const Scan& scan,
                                            const CalibrationField& field, PreparedFrames& frames,
                                            const std::vector<std::size_t>& good, Reporter& report);

} // namespace lsrecon
