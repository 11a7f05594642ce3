#pragma once

#include <array>
#include <memory>

#include "device/device.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

/// VkFFT on arrays of the queue's device, which must outlive it, of `batch` periods, with `zeros`
/// as of Device::plan_padded_fft. NotBuiltError when it is left out of this build, DeviceError when
/// the device cannot run it.
std::unique_ptr<FftPlan> make_vkfft(Queue& queue, Device& device,
                                    const std::array<std::size_t, 3>& extents,
                                    const std::array<Range, 3>& zeros, std::size_t batch,
                                    Precision precision);

} // namespace lsrecon::opencl
