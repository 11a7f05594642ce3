#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
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

    /// FftPlan::add_convolution(), where there is a faster way to do it than the device's verbs:
    /// whether it was done.
    virtual bool add_convolution(const Convolution&, const std::vector<Array>& /*maps*/,
                                 const Array& /*in*/, Array& /*out*/) {
        return false;
    }
};

enum class FftEngine {
    fftw, ///< on the CPU, on mapped buffers: for devices that are the CPU
    vkfft ///< on the device
};

/// The engine for this kind of device.
FftEngine fft_engine_for(const DeviceInfo& device);

/// NotBuiltError when the engine is left out of this build, DeviceError when the device cannot run
/// it. The queue must outlive it.
std::unique_ptr<DeviceFft> make_device_fft(Queue& queue, const std::array<std::size_t, 3>& extents,
                                           std::size_t batch, FftEngine engine,
                                           Precision precision);

/// The engines' own makers.
std::unique_ptr<DeviceFft> make_fftw(Queue& queue, const std::array<std::size_t, 3>& extents,
                                     std::size_t batch, Precision precision);
std::unique_ptr<DeviceFft> make_vkfft(Queue& queue, const std::array<std::size_t, 3>& extents,
                                      std::size_t batch, Precision precision);

} // namespace lsrecon::opencl
