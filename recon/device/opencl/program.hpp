#pragma once

#include <string>

#include "device/opencl/driver_cache.hpp"

namespace lsrecon::opencl {

/// Builds a kernel file for a device, or takes the compiled program from the cache on disk.
///
/// The cache is keyed by the hash of the source, the options, the device and its driver; an entry
/// is written beside and renamed into place, so that processes may write it at the same time. An
/// entry that does not load is built again. One process at a time does either where the driver's
/// own cache needs it (driver_cache.hpp). DeviceError with the whole build log on a failure.
cl::Program build_program(
    const cl::Context& context, const cl::Device& device, const std::string& file_name,
    const std::string& options, const OnFinding& on_finding = [](const Finding&) {});

/// Builds a source that is no kernel file in the same way; `name` is for messages.
cl::Program build_source(
    const cl::Context& context, const cl::Device& device, const std::string& name,
    const std::string& source, const std::string& options,
    const OnFinding& on_finding = [](const Finding&) {});

} // namespace lsrecon::opencl
