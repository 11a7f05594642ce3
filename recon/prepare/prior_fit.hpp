#pragma once

#include "base/report.hpp"
#include "base/types.hpp"
#include "scan/grid.hpp"
#include "scan/prior_image.hpp"

namespace lsrecon {

/// That a prior image is of the size of the object that the scan saw, and not mirrored. `image`:
/// magnitudes of the scan's own image, N, on the same grid. Both are compared by normalised mutual
/// information (Studholme et al. 1999), which any contrast has: InputError when the prior looks far
/// more like the scan's image in another size or mirrored, a note when it looks more like it.
void require_fit(const PriorImage& prior, const Grid& grid, const RealVector& image,
                 Reporter& report);

} // namespace lsrecon
