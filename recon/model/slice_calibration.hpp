// The calibration of the frames of a slice, and of an object beyond their field of view.

#pragma once

#include <optional>
#include <vector>

#include "engines/transforms.hpp"
#include "model/calibration.hpp"
#include "model/prepared_frames.hpp"
#include "scan/scan.hpp"

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

/// A grid of the same voxels that holds an object which reaches beyond the scan's field of view, as
/// far as the samples of a frame resolve it; none where they resolve nothing there, or where there
/// is nothing. Coils are calibrated in wider fields of view for that.
std::optional<Grid> grid_beyond_field(Transforms& transforms, const Scan& scan, const Frame& frame);

} // namespace lsrecon
