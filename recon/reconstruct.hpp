// Reconstructs a source of frames into a sink of images.

#pragma once

#include "base/report.hpp"
#include "encoding/summary.hpp"
#include "engines/transforms.hpp"
#include "plan/options.hpp"
#include "scan/failed_frames.hpp"
#include "scan/image.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// What is known of an image beside its values.
struct Reconstructed {
    SolveSummary solves;
    Image about; ///< frames without values, numbers, tables, maps of the noise; no record
    std::size_t frames_finished_before = 0; ///< which the sink had
    std::map<std::size_t, FailedFrame> failed = {}; ///< by their indices, of a scan of several
    bool together = false; ///< whether the frames of each slice were solved together
};

/// Reconstructs every frame of a scan that the sink lacks. A frame of several may fail alone; any
/// other failure throws an Error (base/error.hpp).
Reconstructed reconstruct(FrameSource& source, ImageSink& sink, Transforms& transforms,
                          ReconstructOptions options, Reporter& report);
/// Reconstructs on a device of its own, as `lsrecon recon` without options does.
Reconstructed reconstruct(FrameSource& source, ImageSink& sink, ReconstructOptions options = {},
                          ComputeOptions compute = {});

} // namespace lsrecon
