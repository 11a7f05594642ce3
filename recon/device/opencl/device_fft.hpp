#pragma once

#include <array>
#include <memory>
#include <string>

#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

/// In-place complex transform of a buffer of float2 or double2, x fastest, in the queue's order, of
/// `batch` arrays one after the other; neither direction is scaled.
class DeviceFft {
public:
    virtual ~DeviceFft() = default;
    virtual std::string name() const = 0; ///< of the library, with its version
    virtual void forward(const cl::Buffer& values) = 0; ///< exp(-i 2 pi ...)
    virtual void backward(const cl::Buffer& values) = 0; ///< exp(+i 2 pi ...)
};

/// NotBuiltError when VkFFT is left out of this build, DeviceError when the device cannot run it.
/// The queue must outlive it.
std::unique_ptr<DeviceFft> make_vkfft(Queue& queue, const std::array<std::size_t, 3>& extents,
                                      std::size_t batch, Precision precision);

} // namespace lsrecon::opencl
