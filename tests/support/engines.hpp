#pragma once

#include <limits>
#include <ostream>
#include <vector>

#include "base/tolerance.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon::test {

/// What a system can be made of.
struct Make {
    bool kernels = false; ///< the verbs of arrays, else the host's loops
    Precision precision = Precision::float32;

    double epsilon() const {
        return precision == Precision::float64 ? std::numeric_limits<double>::epsilon() / 2
                                               : tolerance::eps;
    }
};

inline std::ostream& operator<<(std::ostream& to, const Make& make) {
    return to << (make.kernels ? "kernels" : "loops") << " in " << 8 * bytes_of(make.precision)
              << " bits";
}

/// All that this build and this device have: the host's loops are for CPUs alone.
inline std::vector<Make> makes(const DeviceInfo& device) {
    std::vector<Make> all;
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        if (precision == Precision::float64 && !device.double_precision) {
            continue;
        }
        if (device.type == "cpu") {
            all.push_back({false, precision});
        }
#ifdef LSRECON_WITH_VKFFT
        all.push_back({true, precision});
#endif
    }
    return all;
}

} // namespace lsrecon::test
