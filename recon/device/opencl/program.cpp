// Compiles kernels from their embedded text, and keeps the binaries in the cache folder under a
// hash of source, options and driver.

#include "device/opencl/program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/folders.hpp"
#include "base/output_file.hpp"
#include "base/version.hpp"
#include "device/opencl/cl.hpp"
#include "device/opencl/drivers.hpp"

namespace lsrecon::opencl {

namespace {

/// Returns a kernel file from the folder LSRECON_KERNELS, so that kernels can change without a
/// build, else as it was built in.
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

namespace {

namespace fs = std::filesystem;

/// A compiled program on disk: kernels/KEY.bin in the cache folder, where the key is the hash of
/// the source, the options, the program's version, the device and its driver. The file is the hash
/// of all that follows, the key and the binary: an entry under the wrong name counts as broken.
struct CacheEntry {
    std::string key;
    std::string path;

    CacheEntry(const cl::Device& device, const std::string& source, const std::string& options) {
        Sha256 hash;
        for (const std::string& part : std::vector<std::string>{
                 version, device.getInfo<CL_DEVICE_NAME>(), device.getInfo<CL_DEVICE_VERSION>(),
                 device.getInfo<CL_DRIVER_VERSION>(),
                 cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_VERSION>(),
                 source, options}) {
            hash.add(std::to_string(part.size())).add(part);
        }
        key = hash.hex();
        path = cache_folder() + "/kernels/" + key + ".bin";
    }

    /// Empty for an entry that is missing or broken: a driver may abort the process on a broken one
    /// (seen with PoCL 3.1), so it must never see one.
    std::vector<unsigned char> read() const {
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored)) { // a folder can be opened, and throws when read
            return {};
        }
        std::ifstream file(path, std::ios::binary);
        const std::string all{std::istreambuf_iterator<char>(file), {}};
        const std::size_t start = 2 * key.size(); // both hashes are as long
        if (all.size() < start || all.compare(key.size(), key.size(), key) != 0 ||
            all.compare(0, key.size(),
                        Sha256().add(all.data() + key.size(), all.size() - key.size()).hex()) !=
                0) {
            return {};
        }
        return {all.begin() + static_cast<std::ptrdiff_t>(start), all.end()};
    }

    /// Makes the folder. Returns whether it can be written: asking PoCL for a program to keep makes
    /// it compile each kernel once more, for any size of work-groups.
    bool can_be_kept() const {
        const fs::path folder = fs::path(path).parent_path();
        std::error_code failure;
        fs::create_directories(folder, failure);
        return ::access(folder.c_str(), W_OK) == 0;
    }

    /// A cache that cannot be written costs time at the next start, not this run.
    void write(const std::vector<unsigned char>& binary) const {
        try {
            ReplacingFile file(path);
            std::ofstream stream(file.path(), std::ios::binary);
            stream << Sha256().add(key).add(binary.data(), binary.size()).hex() << key;
            stream.write(reinterpret_cast<const char*>(binary.data()),
                         static_cast<std::streamsize>(binary.size()));
            stream.close();
            if (stream) {
                file.commit();
            }
        } catch (const std::exception&) {
        }
    }
};

/// True when the cache had a program that this driver takes.
bool load_cached(const cl::Context& context, const cl::Device& device, const CacheEntry& entry,
                 const std::string& options, cl::Program& program) {
    const std::vector<unsigned char> binary = entry.read();
    if (binary.empty()) {
        return false;
    }
    try {
        program = cl::Program(context, {device}, {binary});
        program.build(device, options.c_str());
        return true;
    } catch (const cl::Error&) {
        return false;
    }
}

/// CL_SUCCESS, or why the source does not build.
cl_int build(cl::Program& program, const cl::Context& context, const cl::Device& device,
             const std::string& source, const std::string& options) {
    program = cl::Program(context, source);
    try {
        program.build(device, options.c_str());
        return CL_SUCCESS;
    } catch (const cl::Error& error) {
        return error.err();
    }
}

/// Explains a build that failed by trouble with PoCL's cache where there is some, else by its log.
DeviceError build_error(const std::string& name, const cl::Device& device,
                        const std::string& options, cl_int code, const cl::Program& program) {
    if (is_pocl(device)) {
        if (const std::string trouble = trouble_with_driver_cache(); !trouble.empty()) {
            return DeviceError(text("building ", name, ": ", trouble));
        }
    }
    // CLHPP attaches the log to one error code only; drivers fail with several.
    return DeviceError(text("building ", name, " for ", device.getInfo<CL_DEVICE_NAME>(), " with ",
                            options, ": ", error_name(code), "\n",
                            program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device),
                            "\n  next:     correct the kernel (LSRECON_KERNELS), or report "
                            "this log with the output of 'lsrecon devices'"));
}

} // namespace

cl::Program build_program(const cl::Context& context, const cl::Device& device,
                          const std::string& name, const std::string& source,
                          const std::string& options, const OnFinding& on_finding) {
    return guarded("building " + name, [&] {
        const CacheEntry entry(device, source, options);
        const auto lock = lock_driver_cache(device, entry.key, on_finding);
        cl::Program program;
        if (load_cached(context, device, entry, options, program)) {
            return program;
        }
        cl_int code = build(program, context, device, source, options);
        if (code != CL_SUCCESS && is_pocl(device)) {
            // The driver's own cache entry may be broken; other options have another entry there.
            code = build(program, context, device, source, options + " -DLSRECON_SECOND_TRY");
        }
        if (code != CL_SUCCESS) {
            throw build_error(name, device, options, code, program);
        }
        if (entry.can_be_kept()) {
            entry.write(program.getInfo<CL_PROGRAM_BINARIES>().front());
        }
        return program;
    });
}

} // namespace lsrecon::opencl
