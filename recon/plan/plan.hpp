#pragma once

#include <memory>

#include "scan/scan.hpp"

namespace lsrecon {

/// What is decided about a scan before any work: a pure function of the scan.
struct Plan {
    Grid grid; ///< of the image, which may have its voxels elsewhere
    Voxels voxels; ///< where the image is
    bool through_q; ///< F^H F by convolution with Q (a grid), or by F and F^H themselves (a list)
    bool coils_share_one_problem; ///< one problem with coil maps, or one a coil and then combined
};

/// `with_q`: the user brings Q; `with_neighbours`: regularisers that need a grid. UsageError when
/// the scan cannot use them.
Plan make_plan(const Scan& scan, bool with_q, bool with_neighbours = false);

} // namespace lsrecon
