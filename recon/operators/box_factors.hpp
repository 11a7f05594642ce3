#pragma once

#include <functional>

#include "device/device.hpp"

namespace lsrecon {

/// The box with its factors on the device: factor(d, n) of the value n of dimension d.
Box with_factors(Device& device, Precision precision, Box box,
                 const std::function<Complex(std::size_t d, std::size_t n)>& factor);

} // namespace lsrecon
