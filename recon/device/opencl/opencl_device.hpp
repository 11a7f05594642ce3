#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/opencl/device_fft.hpp"

namespace lsrecon::opencl {

/// Arrays on the queue's device (kernels/arrays.cl, neighbours.cl); the queue must outlive it and
/// its arrays.
std::unique_ptr<Device> make_opencl_device(Queue& queue, FftEngine engine);

/// The buffer that an array of such a device is.
cl::Buffer& buffer_of(const Array& array);

} // namespace lsrecon::opencl
