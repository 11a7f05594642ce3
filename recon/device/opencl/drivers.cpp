// Lists the devices of the OpenCL loader and chooses one, after checking that PoCL has a cache
// folder, files and memory, without which it aborts.

#include "device/opencl/drivers.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/folders.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"

namespace lsrecon::opencl {

namespace {

constexpr const char* variable = "POCL_CACHE_DIR";
/// Several times what all kernels of a reconstruction take.
constexpr std::size_t room = std::size_t(8) << 20;

std::vector<std::string> cache_folders() {
    std::vector<std::string> result;
    if (const char* const own = std::getenv(variable); own != nullptr && *own != '\0') {
        result.emplace_back(own);
    }
    result.push_back(cache_folder() + "/pocl");
    return result;
}

} // namespace

DriverCache choose_driver_cache(const std::vector<std::string>& folders) {
    DriverCache chosen;
    for (const std::string& folder : folders) {
        const std::string trouble = trouble_with(folder, room);
        if (trouble.empty()) {
            chosen.folder = folder;
            break;
        }
        chosen.passed_over += (chosen.passed_over.empty() ? "" : ", ") + folder + ": " + trouble;
    }
    return chosen;
}

bool is_pocl(const cl::Platform& platform) {
    return platform.getInfo<CL_PLATFORM_NAME>().find("Portable Computing Language") == 0;
}

bool is_pocl(const cl::Device& device) {
    return is_pocl(cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()));
}

const DriverCache& driver_cache() {
    static const DriverCache chosen = [] {
        DriverCache cache = choose_driver_cache(cache_folders());
        if (cache.folder.empty()) {
            const std::string last = private_folder();
            cache.folder = last.empty() ? "" : choose_driver_cache({last + "/pocl"}).folder;
        }
        if (!cache.folder.empty()) {
            ::setenv(variable, cache.folder.c_str(), 1);
        }
        return cache;
    }();
    return chosen;
}

std::string trouble_with_driver_cache() {
    const DriverCache& cache = driver_cache();
    const std::string now = cache.folder.empty() ? "" : trouble_with(cache.folder, room);
    if (!cache.folder.empty() && now.empty()) {
        return "";
    }
    return text("PoCL cannot keep what it compiles\n  found:    ",
                cache.folder.empty() ? cache.passed_over : cache.folder + ": " + now,
                "\n  expected: a folder that can be written, with room for ", room >> 20,
                " MiB\n  next:     make room, or let LSRECON_CACHE or ", variable,
                " name another folder");
}

std::unique_ptr<FileLock> lock_driver_cache(const cl::Device& device, const std::string& key,
                                            const OnFinding& on_finding) {
    if (!is_pocl(device) || driver_cache().folder.empty()) {
        return nullptr;
    }
    // Each program has its own folder there, so different ones need not wait for each other.
    const std::string path = driver_cache().folder + "/lsrecon-" + key.substr(0, 2) + ".lock";
    auto lock = std::make_unique<FileLock>(path);
    if (lock->state() == FileLock::State::timed_out) {
        on_finding({Found::cache_locked, {}, {{"file", path}}});
    }
    return lock;
}

namespace {

/// Open files beside those of this process, when PoCL 3.1 compiles and links: 11, and some for what
/// the program itself opens later.
constexpr std::size_t files_of_pocl = 16;

/// PoCL aborts the process, or waits for ever, where it finds none.
void require_addresses(std::size_t threads) {
    const double needed = addresses_of_pocl(threads);
    if (const double limit = address_space_limit(); limit < needed) {
        throw LimitError(text("OpenCL cannot be opened with the ", limit / 1e9,
                              " GB of addresses that this process may have, and takes ",
                              needed / 1e9, " GB"),
                         ENOMEM);
    }
}

/// Checks that enough files can be opened, by opening them: nothing says how many are open. Where
/// the compiler or the linker that PoCL runs cannot open one, it aborts the process.
void require_files() {
    std::vector<int> opened;
    int file = 0;
    while (opened.size() < files_of_pocl && (file = ::open("/", O_RDONLY | O_CLOEXEC)) >= 0) {
        opened.push_back(file);
    }
    const int cause = errno;
    for (const int one : opened) {
        ::close(one);
    }
    if (file < 0 && (cause == EMFILE || cause == ENFILE)) {
        throw LimitError(text("OpenCL needs ", files_of_pocl, " more open files, and ",
                              opened.size(), " can be had"),
                         cause);
    }
}

/// Lists the platforms, none without a driver, after checking the limits of this process at which
/// PoCL aborts it or is silently left out.
std::vector<cl::Platform> platforms_of_loader() {
    require_addresses(1); // a driver that cannot be loaded is not reported
    require_files();
    std::vector<cl::Platform> platforms;
    try {
        cl::Platform::get(&platforms);
    } catch (const cl::Error&) {
        platforms.clear(); // the loader reports "no platform" as an error
    }
    return platforms;
}

} // namespace

std::vector<cl::Device> device_handles() {
    std::vector<cl::Device> devices;
    for (const cl::Platform& platform : platforms_of_loader()) {
        std::vector<cl::Device> of_platform;
        try {
            if (is_pocl(platform)) {
                require_addresses(std::thread::hardware_concurrency());
                driver_cache();
            }
            platform.getDevices(CL_DEVICE_TYPE_ALL, &of_platform);
        } catch (const cl::Error&) {
            continue; // A driver without its hardware must not hide the other platforms.
        }
        devices.insert(devices.end(), of_platform.begin(), of_platform.end());
    }
    return devices;
}

namespace {

std::string type_name(cl_device_type type) {
    if (type & CL_DEVICE_TYPE_GPU) {
        return "gpu";
    }
    if (type & CL_DEVICE_TYPE_ACCELERATOR) {
        return "accelerator";
    }
    return type & CL_DEVICE_TYPE_CPU ? "cpu" : "other";
}

std::string compute_capability(const cl::Device& device) {
    const auto extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
    if (extensions.find("cl_nv_device_attribute_query") == std::string::npos) {
        return "";
    }
    return text(device.getInfo<CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV>(), ".",
                device.getInfo<CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV>());
}

} // namespace

DeviceInfo describe(const cl::Device& device, int index) {
    DeviceInfo info;
    info.index = index;
    info.platform = cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>();
    info.name = device.getInfo<CL_DEVICE_NAME>();
    info.type = type_name(device.getInfo<CL_DEVICE_TYPE>());
    info.vendor = device.getInfo<CL_DEVICE_VENDOR>();
    info.version = device.getInfo<CL_DEVICE_VERSION>();
    info.driver = device.getInfo<CL_DRIVER_VERSION>();
    if (info.platform.find("NVIDIA") == 0) { // PoCL has such devices, too, and its own compiler
        info.compute_capability = compute_capability(device);
    }
    info.available =
        device.getInfo<CL_DEVICE_AVAILABLE>() && device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>();
    info.double_precision = device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
    info.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    if (info.type == "cpu") { // whose cores ranks share; each chooses as one process would
        info.compute_units =
            static_cast<unsigned>(info.compute_units * cores_of_machine() / all_cores());
    }
    info.clock_mhz = device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>();
    info.global_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    info.max_allocation_bytes = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    info.constant_bytes = device.getInfo<CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE>();
    info.local_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    info.max_work_group = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
    return info;
}

std::string no_device_message(const std::vector<std::string>& platforms,
                              const std::string& trouble) {
    if (!trouble.empty()) {
        return "no OpenCL device: " + trouble;
    }
    if (!platforms.empty()) {
        return text("no OpenCL device on this machine\n  found:    a driver without a device: ",
                    comma_separated(platforms),
                    "\n  next:     check that the GPU is there and that you may use it (groups "
                    "video and render, CUDA_VISIBLE_DEVICES), or use `backend` host");
    }
    const char* const vendors = std::getenv("OCL_ICD_VENDORS");
    const bool elsewhere = vendors != nullptr && *vendors != '\0';
    return text("no OpenCL device on this machine\n",
                elsewhere ? text("  found:    OCL_ICD_VENDORS=", vendors, ", with no driver\n")
                          : "",
                "  next:     install the driver of your GPU, or pocl-opencl-icd for the CPU, or "
                "use `backend` host");
}

} // namespace lsrecon::opencl

namespace lsrecon {

std::vector<DeviceInfo> list_devices() {
    return opencl::guarded("listing the OpenCL devices", [] {
        std::vector<DeviceInfo> infos;
        for (const cl::Device& device : opencl::device_handles()) {
            infos.push_back(opencl::describe(device, static_cast<int>(infos.size())));
        }
        return infos;
    });
}

bool has_opencl_driver() {
    return opencl::guarded("listing the OpenCL platforms",
                           [] { return !opencl::platforms_of_loader().empty(); });
}

namespace {

std::string lower(std::string value) {
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value;
}

bool is_index(const std::string& wanted) {
    return !wanted.empty() && wanted.size() < 9 &&
           std::all_of(wanted.begin(), wanted.end(),
                       [](unsigned char c) { return std::isdigit(c); });
}

/// Explains that no device was found by the platforms that are there, and by the cache of PoCL if
/// it is one of them.
std::string why_no_device() {
    return opencl::guarded("listing the OpenCL platforms", [] {
        std::vector<std::string> names;
        std::string trouble;
        for (const cl::Platform& platform : opencl::platforms_of_loader()) {
            names.push_back(platform.getInfo<CL_PLATFORM_NAME>());
            trouble = opencl::is_pocl(platform) ? opencl::trouble_with_driver_cache() : trouble;
        }
        return opencl::no_device_message(names, trouble);
    });
}

template <typename Fits> int first_that(const std::vector<DeviceInfo>& devices, Fits fits) {
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& info) {
        return info.available && fits(info);
    });
    return found == devices.end() ? -1 : found->index;
}

/// Returns the index of the first available device that fits an index, a type or a part of a name,
/// else -1.
int match(const std::vector<DeviceInfo>& devices, const std::string& wanted) {
    if (is_index(wanted)) {
        const int index = std::stoi(wanted);
        return first_that(devices, [&](const DeviceInfo& info) { return info.index == index; });
    }
    if (wanted == "gpu" || wanted == "cpu" || wanted == "accelerator") {
        return first_that(devices, [&](const DeviceInfo& info) { return info.type == wanted; });
    }
    return first_that(devices, [&](const DeviceInfo& info) {
        return lower(info.name).find(lower(wanted)) != std::string::npos;
    });
}

} // namespace

int choose_device(const std::vector<DeviceInfo>& devices, const std::string& wanted) {
    if (devices.empty()) {
        throw DeviceError(why_no_device());
    }
    if (wanted.empty()) {
        for (const char* const type : {"gpu", "accelerator", "cpu"}) {
            if (const int index = match(devices, type); index >= 0) {
                return index;
            }
        }
    } else if (const int index = match(devices, wanted); index >= 0) {
        return index;
    }
    std::string known;
    for (const DeviceInfo& info : devices) {
        known += text("\n            ", info.index, ": ", info.name, " (", info.type,
                      info.available ? ")" : ", not available)");
    }
    throw DeviceError(text("`device` ", wanted.empty() ? "(default)" : wanted,
                           ": no available OpenCL device fits\n  expected: an index, a part of a "
                           "name or a type of one of",
                           known, "\n  next:     see 'lsrecon devices', or use `backend` host"));
}

} // namespace lsrecon
