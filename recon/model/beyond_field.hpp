#pragma once

#include <optional>

#include "engines/transforms.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// A grid of the same voxels that holds an object which reaches beyond the scan's field of view, as
/// far as the samples of a frame resolve it; none where they resolve nothing there, or where there
/// is nothing. Coils are calibrated in wider fields of view for that.
std::optional<Grid> grid_beyond_field(Transforms& transforms, const Scan& scan, const Frame& frame);

} // namespace lsrecon
