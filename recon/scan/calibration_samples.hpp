#pragma once

#include <optional>
#include <string>

#include "scan/scan.hpp"

namespace lsrecon {

/// The nearest calibration of the frame's slice whose coil maps serve the frame; those with the
/// frame's own counters come first. Null when there is none.
const Frame* calibration_samples_of(const Scan& scan, const Frame& frame);

/// Why calibration lines of a frame's slice do not serve it: "lie elsewhere: 30 mm away"; "" when
/// there are none, or some that do.
std::string why_no_calibration(const Scan& scan, const Frame& frame);

/// A coil that has only zeros in these values of each, such as its calibration or its map, and
/// signal in the samples of a frame: they were not written. None where all coils are so.
std::optional<std::size_t> silent_in_these_alone(const CoilRows& of_coils, const CoilRows& samples);
/// Moves it to the calibration that serves no frame, and says so.
void leave_out_calibration(Scan& scan, const Frame* calibration, std::size_t silent_coil);

} // namespace lsrecon
