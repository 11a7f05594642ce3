#include "engines/opencl/catalogue.hpp"

#include <stdexcept>

namespace lsrecon::opencl {

const KernelRow& kernel_row(const std::string& name) {
    for (const KernelRow& row : kernel_rows()) {
        if (row.name == name) {
            return row;
        }
    }
    throw std::logic_error("no kernel \"" + name + "\"");
}

} // namespace lsrecon::opencl
