// Kernel files, and programs that are built from them.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/opencl/drivers.hpp"

namespace lsrecon::opencl {

/// File name -> text, as it was when the program was built.
const std::map<std::string, std::string>& embedded_sources();

/// Text of a kernel file with its #include lines resolved. From the folder in the environment
/// variable LSRECON_KERNELS when it is set, else as embedded. DeviceError when there is none.
std::string kernel_source(const std::string& file_name);

/// Every file of a variant: NAME.cl and what there is of NAME_*.cl.
std::vector<std::string> files_of_kernel(const std::string& kernel);

/// Builds a source for a device, or takes the compiled program from the cache on disk; `name` is
/// for messages.
///
/// The cache is keyed by the hash of the source, the options, the device and its driver; an entry
/// is written beside and renamed into place, so that processes may write it at the same time. An
/// entry that does not load is built again. One process at a time does either where the driver's
/// own cache needs it (drivers.hpp). DeviceError with the whole build log on a failure.
cl::Program build_program(
    const cl::Context& context, const cl::Device& device, const std::string& name,
    const std::string& source, const std::string& options,
    const OnFinding& on_finding = [](const Finding&) {});

} // namespace lsrecon::opencl
