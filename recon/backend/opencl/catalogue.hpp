#pragma once

#include <map>
#include <string>
#include <vector>

namespace lsrecon::opencl {

/// How a chunk of sources lies in memory. `vectors` are structs of whole float4, their low parts in
/// radians, and whole runs of them (kernels/tuned.cl).
enum class SourceLayout { arrays, structs, vectors, none };

/// One variant of the transform; rows come from kernels/CMakeLists.txt.
struct KernelRow {
    std::string name;
    SourceLayout layout;
    bool needs_lattice; ///< voxels off a grid are then left to best_off_lattice_kernel
};

/// The fastest variant that takes voxels anywhere.
constexpr const char* best_off_lattice_kernel = "tuned";

const std::vector<KernelRow>& kernel_rows();

/// UsageError for an unknown name.
const KernelRow& kernel_row(const std::string& name);

/// File name -> text, as it was when the program was built.
const std::map<std::string, std::string>& embedded_sources();

/// Text of a kernel file with its #include lines resolved. From the folder in the environment
/// variable LSRECON_KERNELS when it is set, else as embedded. DeviceError when there is none.
std::string kernel_source(const std::string& file_name);

/// Every file of a variant: NAME.cl and what there is of NAME_*.cl.
std::vector<std::string> files_of_kernel(const std::string& kernel);

} // namespace lsrecon::opencl
