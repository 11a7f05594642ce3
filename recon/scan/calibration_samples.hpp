#pragma once

#include <string>

#include "scan/scan.hpp"

namespace lsrecon {

/// Of the calibration of a frame's slice the nearest whose coil maps serve the frame, those with
/// the frame's own counters first; or null.
const Frame* calibration_samples_of(const Scan& scan, const Frame& frame);

/// Where calibration of a frame's slice lies that does not serve it: "30 mm away"; "" when there is
/// none, or some that does.
std::string calibration_elsewhere(const Scan& scan, const Frame& frame);

} // namespace lsrecon
