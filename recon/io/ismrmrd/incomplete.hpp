// Frames of a series that has fewer readouts than the others, or none in some slices.

#pragma once

#include <optional>

#include "io/ismrmrd/frames.hpp"

namespace lsrecon {

/// The frames that a scan which was stopped left incomplete: with fewer readouts than most frames
/// of their contrast, phase and set, the first of these or some of them; and those of repetitions
/// that other slices have. Nothing of frames that are meant to differ, as those that have other
/// lines each.
std::optional<Finding> incomplete_frames(const RawFrames& raw);

} // namespace lsrecon
