#pragma once

#include <memory>

#include "device/device.hpp"

namespace lsrecon {

/// This computer's processors, on the cores of the process, without OpenCL: kind "host". Arrays are
/// in floats or doubles. `memory` is what may be used of the host's, in bytes; 0 for all of it.
std::unique_ptr<Device> make_processors(double memory = 0);

} // namespace lsrecon
