#pragma once

#include <memory>

#include "device/device.hpp"

namespace lsrecon {

/// This computer's processors, on the cores of the process, without OpenCL: kind "host". Arrays are
/// in floats or doubles.
std::unique_ptr<Device> make_processors();

} // namespace lsrecon
