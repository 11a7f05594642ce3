#pragma once

#include "base/report.hpp"
#include "solve/noise_map.hpp"

namespace lsrecon {

/// Adds the noise map of one frame to an image, with its statistics, and the g-factor where that is
/// defined and this image has it (why_no_g_factor). `fhd` is the frame's, `scan` as it is
/// transformed, with weights as they are.
void add_noise_map(Image& image, std::size_t frame, NormalEquations& equations,
                   const std::vector<Volume>& fhd, const Scan& scan, const SolveOptions& options,
                   std::size_t replicas, Reporter& report);

} // namespace lsrecon
