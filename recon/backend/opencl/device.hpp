#pragma once

#include "backend/devices.hpp"
#include "backend/opencl/cl.hpp"

namespace lsrecon::opencl {

/// The handles of list_devices(), in the same order.
std::vector<cl::Device> device_handles();

DeviceInfo describe(const cl::Device& device, int index);

} // namespace lsrecon::opencl
