// Phases of lines by navigator lines: readouts of both directions without phase encoding.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/coil_rows.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The phases of lines by navigators at these positions. `segments` are those of the image's shots
/// in their order: shots that have navigators of their own get a phase. Nothing without navigators
/// of both directions.
std::optional<LinePhases> phases_of_navigators(const std::vector<Vec3>& positions,
                                               const CoilRows& samples,
                                               const FrameReadouts& navigators,
                                               const std::vector<std::uint16_t>& segments);

} // namespace lsrecon
