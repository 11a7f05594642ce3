#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// What is not an error in a checked scan but is rarely intended, or would show only in the image:
/// lengths in other units, voxels far away, a strong field.
std::vector<std::string> remarks_on(const Scan& scan);

/// Frames of too few samples for the scan's grid.
std::vector<std::string> remarks_on_aliasing(const Scan& scan);

} // namespace lsrecon
