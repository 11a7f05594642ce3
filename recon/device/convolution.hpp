#pragma once

#include "device/device.hpp"

namespace lsrecon {

/// FftPlan::convolve() by the device's other verbs, for a transform of `points`.
void convolve_by_verbs(Device& device, FftPlan& fft, std::size_t points, const Array& spectra,
                       std::size_t first, Array& values);

/// FftPlan::add_convolution() by the device's other verbs, one parity after the other, for a
/// transform of `batch` periods.
void add_convolution_by_verbs(Device& device, FftPlan& fft, std::size_t batch,
                              const Convolution& by, const std::vector<Array>& maps,
                              const Array& in, Array& out);

} // namespace lsrecon
