#include "device/opencl/program.hpp"

#include "device/opencl/cache_entry.hpp"
#include "device/opencl/driver_cache.hpp"
#include "device/opencl/kernel_files.hpp"

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
                          const std::string& file_name, const std::string& options,
                          const OnFinding& on_finding) {
    return build_source(context, device, file_name, kernel_source(file_name), options, on_finding);
}

cl::Program build_source(const cl::Context& context, const cl::Device& device,
                         const std::string& name, const std::string& source,
                         const std::string& options, const OnFinding& on_finding) {
    return guarded("building " + name, [&] {
        const std::string path = cache_entry_path("kernels", device, {source, options});
        const auto lock = lock_driver_cache(device, key_of_entry(path), on_finding);
        cl::Program program;
        if (load_cached(context, device, path, options, program)) {
            return program;
        }
        cl_int code = build(program, context, device, source, options);
        if (code != CL_SUCCESS && is_pocl(device)) {
            // The driver's own cache entry may be broken; other options have another place there.
            code = build(program, context, device, source, options + " -DLSRECON_SECOND_TRY");
        }
        if (code != CL_SUCCESS) {
            throw build_error(name, device, options, code, program);
        }
        if (can_keep_cache_entry(path)) {
            const auto binary = program.getInfo<CL_PROGRAM_BINARIES>().front();
            write_cache_entry(path, binary.data(), binary.size());
        }
        return program;
    });
}

} // namespace lsrecon::opencl
