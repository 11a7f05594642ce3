// Devices whose arrays are buffers of their queue, and do not outlive them.

#pragma once

#include <array>
#include <memory>

#include "device/device.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

/// The verbs are kernels (kernels/arrays.cl), the FFT is VkFFT.
std::unique_ptr<Device> make_opencl_device(std::unique_ptr<Queue> queue);
/// The verbs are the host's loops, the FFT is FFTW: for a queue whose device is the CPU. Kernels
/// of so few numbers take it longer to start than to run.
std::unique_ptr<Device> make_cpu_device(std::unique_ptr<Queue> queue);
/// The one that suits the queue's device.
std::unique_ptr<Device> make_device(std::unique_ptr<Queue> queue);

/// The queue of such a device.
Queue& queue_of(Device& device);

/// The buffer that an array of such a device is, for the next command. Ask again for another: a
/// verb may have taken it back for the host.
cl::Buffer& buffer_of(const Array& array);

/// VkFFT on arrays of the queue's device, which must outlive it, of `batch` periods, with `zeros`
/// as of Device::plan_fft. NotBuiltError when it is left out of this build, DeviceError when
/// the device cannot run it.
std::unique_ptr<FftPlan> make_vkfft(Queue& queue, Device& device, const GridSize& extents,
                                    const std::array<Range, 3>& zeros, std::size_t batch,
                                    Precision precision);

} // namespace lsrecon::opencl
