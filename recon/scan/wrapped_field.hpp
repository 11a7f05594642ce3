// The detector of field maps whose phase was not unwrapped.
#pragma once

#include <optional>

#include "base/finding.hpp"
#include "base/types.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// Jumps of one size between neighbouring voxels of a field map in Hz: those of a phase of two
/// echoes that was not unwrapped, which is 1 / (their distance in s).
std::optional<Finding> wrapped_field(const RealVector& field, const Grid& grid);

} // namespace lsrecon
