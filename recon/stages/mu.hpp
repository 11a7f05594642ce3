#pragma once

#include "backend/backend.hpp"
#include "base/report.hpp"

namespace lsrecon {

/// mu_cm = conj(phi_m) w_m d_cm, C x M.
CoilMatrix compute_mu(Backend& backend, const Frame& frame, Reporter& report);

} // namespace lsrecon
