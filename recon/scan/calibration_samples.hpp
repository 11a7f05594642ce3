#pragma once

#include <optional>
#include <string>

#include "scan/scan.hpp"

namespace lsrecon {

/// Of the calibration of a frame's slice the nearest whose coil maps serve the frame, those with
/// the frame's own counters first; or null.
const Frame* calibration_samples_of(const Scan& scan, const Frame& frame);

/// Why calibration lines of a frame's slice do not serve it: "lie elsewhere: 30 mm away"; "" when
/// there are none, or some that do.
std::string why_no_calibration(const Scan& scan, const Frame& frame);

/// A coil whose samples are zeros alone in the calibration of a frame and not in the frame: they
/// were not written, and maps of them would be wrong.
std::optional<std::size_t> silent_in_calibration_alone(const CoilRows& calibration,
                                                       const CoilRows& samples);
/// Moves it to the calibration that serves no frame, and says so.
void leave_out_calibration(Scan& scan, const Frame* calibration, std::size_t silent_coil);

} // namespace lsrecon
