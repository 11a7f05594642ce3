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
                               "samples: single precision ends at 3e38"));
    }
}

} // namespace lsrecon
