#pragma once

#include <optional>

#include "base/report.hpp"
#include "base/types.hpp"
#include "scan/grid.hpp"
#include "scan/prior_image.hpp"

namespace lsrecon {

/// How alike a prior image and a scan's are, as far as they could be compared.
struct PriorFit {
    /// Less is that of noise.
    static constexpr double least_information = 0.05;

    /// Normalised mutual information of the prior as it is; nothing where there are too few voxels.
    std::optional<double> information;
    bool is_judged = false; ///< by more than noise, in one of the sizes in which it was tried
    bool is_noted = false;

    bool is_unlike() const { return information && *information < least_information; }
};

/// That a prior image is of the size of the object that the scan saw. `image`: magnitudes of the
/// scan's own image, N, on the same grid. Both are compared by normalised mutual information
/// (Studholme et al. 1999), which any contrast has. An error when the prior matches far better in
/// another size: InputError, or RunError where the prior serves all frames. A note when it matches
/// better in another size or mirrored. Without a word where there was too little to judge by.
PriorFit require_fit(const PriorImage& prior, const Grid& grid, const RealVector& image,
                     bool serves_all_frames, Reporter& report);

} // namespace lsrecon
