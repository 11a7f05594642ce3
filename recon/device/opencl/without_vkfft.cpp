#include "base/error.hpp"
#include "device/opencl/vkfft.hpp"

namespace lsrecon::opencl {

std::unique_ptr<FftPlan> make_vkfft(Queue&, Device&, const std::array<std::size_t, 3>&,
                                    const std::array<Range, 3>&, std::size_t, Precision) {
    throw NotBuiltError("VkFFT is not built in\n  next:     configure with "
                        "-DLSRECON_WITH_VKFFT=ON");
}

} // namespace lsrecon::opencl
