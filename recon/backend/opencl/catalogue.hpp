#pragma once

#include <map>
#include <string>
#include <vector>

namespace lsrecon::opencl {

enum class SourceLayout { arrays, structs };
enum class SourceMemory { global_memory, constant_memory };

/// One variant of the transform; rows come from kernels/CMakeLists.txt.
struct KernelRow {
    std::string name;
    SourceLayout layout;
    SourceMemory memory;
};
const std::vector<KernelRow>& kernel_rows();

/// UsageError for an unknown name.
const KernelRow& kernel_row(const std::string& name);

/// File name -> text, as it was when the program was built.
const std::map<std::string, std::string>& embedded_sources();

/// Text of a kernel file with its #include lines resolved. From the folder in the environment
/// variable LSRECON_KERNELS when it is set, else as embedded. DeviceError when there is none.
std::string kernel_source(const std::string& file_name);

} // namespace lsrecon::opencl
