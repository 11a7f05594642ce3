#pragma once

#include <array>
#include <memory>

#include "device/device.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

/// VkFFT on arrays of the queue's device, which must outlive it, of `batch` periods. NotBuiltError
/// when it is left out of this build, DeviceError when the device cannot run it.
std::unique_ptr<FftPlan> make_vkfft(Queue& queue, Device& device,
                                    const std::array<std::size_t, 3>& extents, std::size_t batch,
                                    Precision precision);

} // namespace lsrecon::opencl
