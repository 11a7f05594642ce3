#pragma once

#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// What is not an error in a checked scan but is rarely intended, or would show only in the image:
/// lengths in other units, voxels far away, a strong field.
std::vector<std::string> remarks_on(const Scan& scan);

/// Adds one on a field map that turns the phase by less than anybody sees.
void remark_idle_field(const Scan& scan, std::vector<std::string>& remarks);

/// Frames of too few samples for a grid, that of the scan or another. `solves`: the image is that
/// of a solver, which takes regularisers.
std::vector<std::string> remarks_on_aliasing(const Scan& scan, const Grid& grid, bool solves);

} // namespace lsrecon
