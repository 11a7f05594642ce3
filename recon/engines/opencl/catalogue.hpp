#pragma once

#include <string>
#include <vector>

namespace lsrecon::opencl {

/// How a chunk of sources lies in memory. `vectors` are structs of whole float4, their low parts in
/// radians, and whole runs of them (kernels/tuned.cl).
enum class SourceLayout { arrays, structs, vectors };

/// One variant of the direct transform; rows come from kernels/CMakeLists.txt.
struct KernelRow {
    std::string name;
    SourceLayout layout;
};

const std::vector<KernelRow>& kernel_rows();

const KernelRow& kernel_row(const std::string& name);

} // namespace lsrecon::opencl
