// A correction of readouts as it is applied to a scan.

#pragma once

#include <functional>

#include "model/steps.hpp"

namespace lsrecon {

/// Where the samples of a trajectory were taken, and their phases, M, which are taken out of them;
/// none where they are empty.
struct CorrectedReadouts {
    Trajectory trajectory;
    RealVector phases;
};

/// Corrects all frames of a scan, once for each trajectory. Frames that shared one still do.
void correct_readouts(ScanInPreparation& preparation,
                      const std::function<CorrectedReadouts(const Trajectory&)>& corrected);

} // namespace lsrecon
