#pragma once

#include "device/machine_model.hpp"

namespace lsrecon::test {

/// A machine with a device of this type ("cpu" or "gpu") with its nominal model, for
/// make_described_device().
inline Machine described_machine(const std::string& type, unsigned units, unsigned mhz,
                                 std::size_t cores) {
    Machine machine;
    machine.device.name = "a device";
    machine.device.type = type;
    machine.device.double_precision = true;
    machine.device.compute_units = units;
    machine.device.clock_mhz = mhz;
    machine.device.global_bytes = std::size_t(1) << 36;
    machine.device.max_allocation_bytes = std::size_t(1) << 34;
    machine.device.max_work_group = 1024;
    machine.device.constant_bytes = machine.device.local_bytes = std::size_t(1) << 16;
    machine.model = nominal_model(type == "gpu", cores);
    return machine;
}

} // namespace lsrecon::test
