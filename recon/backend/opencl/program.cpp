#include "backend/opencl/program.hpp"

#include <filesystem>
#include <fstream>

#include "backend/opencl/catalogue.hpp"
#include "base/machine.hpp"
#include "base/replacing_file.hpp"
#include "base/sha256.hpp"
#include "base/version.hpp"

namespace lsrecon::opencl {

namespace {

namespace fs = std::filesystem;

std::string cache_path(const cl::Device& device, const std::string& source,
                       const std::string& options) {
    Sha256 hash;
    for (const std::string& part :
         {std::string(version), source, options, device.getInfo<CL_DEVICE_NAME>(),
          device.getInfo<CL_DEVICE_VERSION>(), device.getInfo<CL_DRIVER_VERSION>(),
          cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_VERSION>()}) {
        hash.add(std::to_string(part.size())).add(part);
    }
    return cache_folder() + "/kernels/" + hash.hex() + ".bin";
}

std::string hash_of(const std::vector<unsigned char>& binary) {
    return Sha256().add(binary.data(), binary.size()).hex();
}

/// An entry is the hash of the compiled program, then the program. Empty for a broken entry: a
/// driver may abort the process over it (seen with PoCL 3.1), so it must never get there.
std::vector<unsigned char> read_entry(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string hash(hash_of({}).size(), ' ');
    file.read(hash.data(), static_cast<std::streamsize>(hash.size()));
    const std::vector<unsigned char> binary{std::istreambuf_iterator<char>(file),
                                            std::istreambuf_iterator<char>()};
    return hash == hash_of(binary) ? binary : std::vector<unsigned char>();
}

/// True when the cache had a program that this driver takes.
bool load_cached(const cl::Context& context, const cl::Device& device, const std::string& path,
                 const std::string& options, cl::Program& program) {
    const std::vector<unsigned char> binary = read_entry(path);
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

/// A cache that cannot be written costs time at the next start, not this run.
void store(const cl::Program& program, const std::string& path) {
    try {
        const std::vector<std::vector<unsigned char>> binaries =
            program.getInfo<CL_PROGRAM_BINARIES>();
        fs::create_directories(fs::path(path).parent_path());
        ReplacingFile file(path);
        std::ofstream stream(file.path(), std::ios::binary);
        stream << hash_of(binaries.front());
        stream.write(reinterpret_cast<const char*>(binaries.front().data()),
                     static_cast<std::streamsize>(binaries.front().size()));
        stream.close();
        if (stream) {
            file.commit();
        }
    } catch (const std::exception&) {
    }
}

} // namespace

cl::Program build_program(const cl::Context& context, const cl::Device& device,
                          const std::string& file_name, const std::string& options) {
    const std::string source = kernel_source(file_name);
    return guarded("building " + file_name, [&] {
        const std::string path = cache_path(device, source, options);
        cl::Program program;
        if (load_cached(context, device, path, options, program)) {
            return program;
        }
        program = cl::Program(context, source);
        try {
            program.build(device, options.c_str());
        } catch (const cl::Error& error) {
            // CLHPP attaches the log to one error code only; drivers fail with several.
            throw DeviceError(text("building ", file_name, " for ",
                                   device.getInfo<CL_DEVICE_NAME>(), " with ", options, ": ",
                                   error_name(error.err()), "\n",
                                   program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device),
                                   "\n  next:     correct the kernel (LSRECON_KERNELS), or report "
                                   "this log with the output of 'lsrecon devices'"));
        }
        store(program, path);
        return program;
    });
}

} // namespace lsrecon::opencl
