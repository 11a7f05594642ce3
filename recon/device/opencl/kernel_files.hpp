#pragma once

#include <map>
#include <string>
#include <vector>

namespace lsrecon::opencl {

/// File name -> text, as it was when the program was built.
const std::map<std::string, std::string>& embedded_sources();

/// Text of a kernel file with its #include lines resolved. From the folder in the environment
/// variable LSRECON_KERNELS when it is set, else as embedded. DeviceError when there is none.
std::string kernel_source(const std::string& file_name);

/// Every file of a variant: NAME.cl and what there is of NAME_*.cl.
std::vector<std::string> files_of_kernel(const std::string& kernel);

} // namespace lsrecon::opencl
