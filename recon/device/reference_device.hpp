#pragma once

#include "device/device.hpp"

namespace lsrecon {

/// Plain loops in double precision on the host, FFT by FFTW: the oracle. All of its arrays are
/// HostNumbers in double precision, even where single was asked for.
std::unique_ptr<Device> make_reference_device();

} // namespace lsrecon
