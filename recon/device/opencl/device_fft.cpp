#include "device/opencl/device_fft.hpp"

namespace lsrecon::opencl {

#ifndef LSRECON_WITH_VKFFT
std::unique_ptr<DeviceFft> make_vkfft(Queue&, const std::array<std::size_t, 3>&, std::size_t,
                                      Precision) {
    throw NotBuiltError("VkFFT is not built in\n  next:     configure with "
                        "-DLSRECON_WITH_VKFFT=ON");
}
#endif

FftEngine fft_engine_for(const DeviceInfo& device) {
    return device.type == "cpu" ? FftEngine::fftw : FftEngine::vkfft;
}

std::unique_ptr<DeviceFft> make_device_fft(Queue& queue, const std::array<std::size_t, 3>& extents,
                                           std::size_t batch, FftEngine engine,
                                           Precision precision) {
    return engine == FftEngine::fftw ? make_fftw(queue, extents, batch, precision)
                                     : make_vkfft(queue, extents, batch, precision);
}

} // namespace lsrecon::opencl
