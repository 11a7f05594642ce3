#include <algorithm>

#include "device/devices.hpp"

namespace lsrecon {

bool has_double_matrix_units(const DeviceInfo& info) {
    return info.compute_capability == "9.0";
}

DeviceRates nominal_rates(const DeviceInfo& info) {
    const bool is_gpu = info.type == "gpu";
    const double clocks = 1e6 * info.clock_mhz * std::max(1U, info.compute_units);
    // A unit multiplies and adds in 128 lanes a clock, a CPU's core in two vectors of 8; it takes
    // two sines and two cosines of the hardware's in an eighth of these lanes.
    const double lanes = is_gpu ? 128 : 16;
    const double multiply_adds = clocks * lanes;
    return {multiply_adds, multiply_adds / (is_gpu ? 16 : 32), multiply_adds / 40,
            has_double_matrix_units(info) ? multiply_adds : 0};
}

} // namespace lsrecon
