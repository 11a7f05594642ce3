#include "backend/opencl/program.hpp"

#include "backend/opencl/cache_entry.hpp"
#include "backend/opencl/catalogue.hpp"

namespace lsrecon::opencl {

namespace {

/// True when the cache had a program that this driver takes.
bool load_cached(const cl::Context& context, const cl::Device& device, const std::string& path,
                 const std::string& options, cl::Program& program) {
    const std::vector<unsigned char> binary = read_cache_entry(path);
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

} // namespace

cl::Program build_program(const cl::Context& context, const cl::Device& device,
                          const std::string& file_name, const std::string& options) {
    return build_source(context, device, file_name, kernel_source(file_name), options);
}

cl::Program build_source(const cl::Context& context, const cl::Device& device,
                         const std::string& name, const std::string& source,
                         const std::string& options) {
    return guarded("building " + name, [&] {
        const std::string path = cache_entry_path("kernels", device, {source, options});
        cl::Program program;
        if (load_cached(context, device, path, options, program)) {
            return program;
        }
        program = cl::Program(context, source);
        try {
            program.build(device, options.c_str());
        } catch (const cl::Error& error) {
            // CLHPP attaches the log to one error code only; drivers fail with several.
            throw DeviceError(text("building ", name, " for ", device.getInfo<CL_DEVICE_NAME>(),
                                   " with ", options, ": ", error_name(error.err()), "\n",
                                   program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device),
                                   "\n  next:     correct the kernel (LSRECON_KERNELS), or report "
                                   "this log with the output of 'lsrecon devices'"));
        }
        const auto binary = program.getInfo<CL_PROGRAM_BINARIES>().front();
        write_cache_entry(path, binary.data(), binary.size());
        return program;
    });
}

} // namespace lsrecon::opencl
