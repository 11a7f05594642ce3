#pragma once

#include "engines/backend.hpp"

namespace lsrecon {

/// An OpenCL device with every variant of every engine, in single or double precision.
/// DeviceError when no device fits, UsageError for an unknown kernel.
std::unique_ptr<Backend> make_opencl_backend(const BackendOptions& options);

} // namespace lsrecon
