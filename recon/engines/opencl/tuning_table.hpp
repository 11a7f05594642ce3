#pragma once

#include <map>
#include <string>
#include <vector>

#include "engines/tuning.hpp"

namespace lsrecon::opencl {

/// The entry of kernels/tuning.json for one stage of one kernel, for one device.
struct TuningEntry {
    SearchSpace space;
    std::vector<DeviceBound> bounds;
    Parameters defaults;
    std::string family; ///< family whose defaults they are
};

/// The families whose rows of the table the device takes, the nearest first: "nvidia 9.0" (compute
/// capability), "nvidia", "gpu"; "amd", "intel" or "cpu" and "gpu".
std::vector<std::string> families_of(const DeviceInfo& device);

/// The numbers that bound parameters: work_group, local_bytes, constant_bytes.
DeviceNumbers numbers_of(const DeviceInfo& device);

/// Rows of kernels/tuning.json. DeviceError when that file is broken.
std::vector<Tunable> tuning_rows();

/// False for a kernel without parameters. A stage without its own row has that of "fhd".
bool find_tuning_entry(const DeviceInfo& device, const std::string& kernel,
                       const std::string& stage, TuningEntry& entry);

} // namespace lsrecon::opencl
