#pragma once

#include "backend/backend.hpp"
#include "base/report.hpp"
#include "plan/plan.hpp"

namespace lsrecon {

/// F^H d on the plan's voxels. With coil maps one row, sum_c conj(S_c) F^H mu_c; without, one row
/// a coil: the right-hand sides of as many least-squares problems.
CoilMatrix compute_fhd(Backend& backend, const Plan& plan, const Frame& frame, const CoilMatrix& mu,
                       const CoilMatrix& coil_maps, Reporter& report);

} // namespace lsrecon
