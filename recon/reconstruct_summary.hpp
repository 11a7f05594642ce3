// Completes an image once its frames are there.

#pragma once

#include "reconstruct_first_pass.hpp"
#include "schedule/frame_results.hpp"

namespace lsrecon {

/// Adds the noise map of a frame that was solved, if it is asked for.
void add_noise_map(Image& about, TrajectoryScope& at, const FrameData& data,
                   const Settings& settings, const FrameResults& frames);

/// What is known of an image once all frames are there: adds numbers, tables and the noise map,
/// where no frame had one, and reports what a user should know of the solves.
SolveSummary summarise(Image& about, const Run& run, const Settings& settings,
                       const Formulation& formulation, const FrameResults& frames);

} // namespace lsrecon
