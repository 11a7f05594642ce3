// A correction of readouts as it is applied to a scan.

#pragma once

#include <functional>

#include "model/steps.hpp"

namespace lsrecon {

/// Corrects all frames of a scan, once for each trajectory. Frames that shared one still do. Phases
/// are taken out of the samples; samples have none where they are empty.
void correct_readouts(ScanInPreparation& preparation,
                      const std::function<MovedReadouts(const Trajectory&)>& corrected);

} // namespace lsrecon
