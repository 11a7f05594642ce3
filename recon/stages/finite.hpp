#pragma once

#include <string>

#include "base/error.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// DeviceError when a stage made a NaN or an infinity of finite input: never an image of them.
template <typename Values> void require_finite(const std::string& stage, const Values& values) {
    if (!values.allFinite()) {
        throw DeviceError(text(stage,
                               " has values that are not finite, of finite input\n  next:     "
                               "run 'lsrecon validate' on this device, or scale the "
                               "samples, phi and weights: double precision ends at 1e308"));
    }
}

/// DeviceError when a stage made nothing of input that is not all zeros.
template <typename Values> void require_not_zero(const std::string& stage, const Values& values) {
    if ((values.array() == Complex(0)).all()) {
        throw DeviceError(
            text(stage, " is zero everywhere, of input that is not\n  next:     run 'lsrecon "
                        "validate' on this device, or scale phi and the weights: double "
                        "precision ends at 1e-308"));
    }
}

} // namespace lsrecon
