#pragma once

#include "base/finding.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// What is in a checked scan that has no error but was probably not intended, or whose fault would
/// show only in the image: lengths in other units, voxels far away, a strong field.
Findings findings_on(const Scan& scan);

/// Adds a field map whose phase is too small to see in the image.
void find_idle_field(const Scan& scan, Findings& findings);

/// Frames of too few samples for a grid, that of the scan or another.
Findings findings_on_aliasing(const Scan& scan, const Grid& grid);

} // namespace lsrecon
