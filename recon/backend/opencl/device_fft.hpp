#pragma once

#include <array>
#include <memory>
#include <string>

#include "backend/opencl/queue.hpp"

namespace lsrecon::opencl {

/// Of a number on the device.
enum class Precision {
    float32,
    float64 ///< where DeviceInfo::double_precision says so
};
constexpr std::size_t bytes_of(Precision precision) {
    return precision == Precision::float64 ? sizeof(cl_double) : sizeof(cl_float);
}

/// In-place complex transform of a buffer of float2 or double2, x fastest, in the queue's order;
/// neither direction is scaled.
class DeviceFft {
public:
    virtual ~DeviceFft() = default;
    virtual std::string name() const = 0; ///< of the library, with its version
    /// A buffer for `count` values, where this engine works best.
    virtual cl::Buffer allocate(Queue& queue, std::size_t count) const = 0;
    virtual void forward(const cl::Buffer& values) = 0; ///< exp(-i 2 pi ...)
    virtual void backward(const cl::Buffer& values) = 0; ///< exp(+i 2 pi ...)
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
                                           FftEngine engine, Precision precision);

/// The engines' own makers.
std::unique_ptr<DeviceFft> make_fftw(Queue& queue, const std::array<std::size_t, 3>& extents,
                                     Precision precision);
std::unique_ptr<DeviceFft> make_vkfft(Queue& queue, const std::array<std::size_t, 3>& extents,
                                      Precision precision);

} // namespace lsrecon::opencl
