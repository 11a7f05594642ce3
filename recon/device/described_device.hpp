#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/machine_model.hpp"

namespace lsrecon {

/// A device of another machine, which predictions ask for its numbers. It holds no array.
std::unique_ptr<Device> make_described_device(const Machine& machine);

} // namespace lsrecon
