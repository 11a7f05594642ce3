#pragma once

#include <string>
#include <vector>

#include "scan/geometry_options.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// Remarks on a checked scan that has no error but was probably not intended, or whose fault would
/// show only in the image: lengths in other units, voxels far away, a strong field.
std::vector<std::string> remarks_on(const Scan& scan);

/// Adds a remark on a field map whose phase is too small to see in the image.
void remark_idle_field(const Scan& scan, std::vector<std::string>& remarks);

/// Frames of too few samples for a grid, that of the scan or another, where no regulariser helps.
std::vector<std::string> remarks_on_aliasing(const Scan& scan, const Grid& grid,
                                             const GeometryOptions& options);

} // namespace lsrecon
