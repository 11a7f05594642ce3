#pragma once

#include "device/devices.hpp"
#include "device/opencl/cl.hpp"

namespace lsrecon::opencl {

/// The handles of list_devices(), in the same order.
std::vector<cl::Device> device_handles();

/// The message when there is no device: `platforms` are those that the loader knows, `trouble` is
/// trouble_with_driver_cache() when PoCL is one of them.
std::string no_device_message(const std::vector<std::string>& platforms,
                              const std::string& trouble);

DeviceInfo describe(const cl::Device& device, int index);

} // namespace lsrecon::opencl
