#include "device/opencl/device_fft.hpp"

#include "base/error.hpp"

namespace lsrecon::opencl {

#ifndef LSRECON_WITH_VKFFT
std::unique_ptr<DeviceFft> make_vkfft(Queue&, const std::array<std::size_t, 3>&, std::size_t,
                                      Precision) {
    throw NotBuiltError("VkFFT is not built in\n  next:     configure with "
                        "-DLSRECON_WITH_VKFFT=ON");
}
#endif

} // namespace lsrecon::opencl
