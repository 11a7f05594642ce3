#include "device/opencl/kernel_files.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace lsrecon::opencl {

namespace {

std::string raw_source(const std::string& file_name) {
    if (const char* const folder = std::getenv("LSRECON_KERNELS"); folder && *folder) {
        const std::string path = std::string(folder) + "/" + file_name;
        std::ifstream file(path);
        std::ostringstream content;
        if (!file || !(content << file.rdbuf())) {
            throw DeviceError(text(path, ": cannot be read\n  next:     LSRECON_KERNELS must name "
                                         "a folder with every kernel file, or be unset"));
        }
        return content.str();
    }
    const auto known = embedded_sources().find(file_name);
    if (known == embedded_sources().end()) {
        throw DeviceError("no kernel file " + file_name + " is built in");
    }
    return known->second;
}

} // namespace

std::string kernel_source(const std::string& file_name) {
    std::istringstream lines(raw_source(file_name));
    std::string result;
    for (std::string line; std::getline(lines, line);) {
        constexpr const char* include = "#include \"";
        if (line.rfind(include, 0) == 0) {
            const std::string rest = line.substr(std::string(include).size());
            result += kernel_source(rest.substr(0, rest.find('"')));
        } else {
            result += line + "\n";
        }
    }
    return result;
}

std::vector<std::string> files_of_kernel(const std::string& kernel) {
    std::vector<std::string> files;
    for (const auto& [name, source] : embedded_sources()) {
        const bool is_kernel = name.size() > 3 && name.substr(name.size() - 3) == ".cl";
        if (name == kernel + ".cl" || (is_kernel && name.rfind(kernel + "_", 0) == 0)) {
            files.push_back(name);
        }
    }
    return files;
}

} // namespace lsrecon::opencl
