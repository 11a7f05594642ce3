// Refuses results that are not finite, or are zero, though their input is neither.

#pragma once

#include <cmath>
#include <string>

#include "base/error.hpp"

namespace lsrecon {

/// DeviceError when a stage made a NaN or an infinity of finite input, which must never reach an
/// image.
/// `norm` is that of what it made.
inline void require_finite(const std::string& stage, double norm) {
    if (!std::isfinite(norm)) {
        throw DeviceError(text(
            stage, " has values that are not finite, although its input is finite\n  next:     "
                   "run 'lsrecon validate' on this device, or scale the "
                   "samples, phi and weights: double precision ends at 1e308"));
    }
}

/// DeviceError when a stage made zeros of input that is not all zeros.
inline void require_not_zero(const std::string& stage, double norm) {
    if (norm == 0) {
        throw DeviceError(
            text(stage, " is zero everywhere, although its input is not\n  next:     run 'lsrecon "
                        "validate' on this device, or scale phi and the weights: double "
                        "precision ends at 1e-308"));
    }
}

} // namespace lsrecon
