#pragma once

#include <functional>

#include "base/report.hpp"
#include "io/frame_store.hpp"
#include "prepare/prepared_scan.hpp"
#include "reconstruct_equations.hpp"
#include "solve/joint.hpp"

namespace lsrecon {

/// How reconstruct() makes an image of one frame, for frames that are solved together.
struct FrameSteps {
    ScanEquations& equations;
    std::function<Monitor(std::size_t frame)> monitor_of;
    /// Of a frame without its samples; `error` is that of its transforms.
    std::function<ImageFrame(const Frame& frame, const Solved& solved, double error)> finished;
};

/// Fills the sink with the frames of each place, solved together where a regulariser couples them:
/// one frame's samples at a time become F^H d and Q, which stay, and then all are solved.
/// `needed` is what that takes of the device's memory. RunError when there is less.
void fill_jointly(ImageSink& sink, PreparedScan& prepared, const FrameSteps& steps,
                  const SolveOptions& options, double needed, Reporter& report);

} // namespace lsrecon
