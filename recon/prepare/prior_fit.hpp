#pragma once

#include "base/report.hpp"
#include "base/types.hpp"
#include "scan/grid.hpp"
#include "scan/prior_image.hpp"

namespace lsrecon {

/// That a prior image is of the size of the object that the scan saw. `image`: magnitudes of the
/// scan's own image, N, on the same grid. Both are compared by normalised mutual information
/// (Studholme et al. 1999), which any contrast has. An error when the prior matches far better in
/// another size: InputError, or RunError where the prior serves all frames. A note when it matches
/// better in another size or mirrored. Returns false where there was too little to judge by.
bool require_fit(const PriorImage& prior, const Grid& grid, const RealVector& image,
                 bool serves_all_frames, Reporter& report);

} // namespace lsrecon
