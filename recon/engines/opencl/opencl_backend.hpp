#pragma once

#include "engines/backend.hpp"

namespace lsrecon {

/// Single precision on an OpenCL device; every variant of the catalogue.
/// DeviceError when no device fits, UsageError for an unknown kernel.
std::unique_ptr<Backend> make_opencl_backend(const BackendOptions& options);

} // namespace lsrecon
