#pragma once

#include "device/device.hpp"

namespace lsrecon {

/// FFTW on arrays of HostNumbers in this precision, of `batch` periods; what it cannot do by
/// itself, it does by verbs of the device, which must outlive it.
std::unique_ptr<FftPlan> make_host_fft(Device& device, const std::array<std::size_t, 3>& extents,
                                       std::size_t batch, Precision precision);

} // namespace lsrecon
