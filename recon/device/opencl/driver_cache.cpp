#include "device/opencl/driver_cache.hpp"

#include <cstdlib>

#include "base/folders.hpp"

namespace lsrecon::opencl {

namespace {

constexpr const char* variable = "POCL_CACHE_DIR";
/// Several times what all kernels of a reconstruction take.
constexpr std::size_t room = std::size_t(8) << 20;

std::vector<std::string> places() {
    std::vector<std::string> result;
    if (const char* const own = std::getenv(variable); own != nullptr && *own != '\0') {
        result.emplace_back(own);
    }
    result.push_back(cache_folder() + "/pocl");
    return result;
}

} // namespace

DriverCache choose_driver_cache(const std::vector<std::string>& places) {
    DriverCache chosen;
    for (const std::string& place : places) {
        const std::string trouble = trouble_with(place, room);
        if (trouble.empty()) {
            chosen.folder = place;
            break;
        }
        chosen.passed_over += (chosen.passed_over.empty() ? "" : ", ") + place + ": " + trouble;
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
        DriverCache cache = choose_driver_cache(places());
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

} // namespace lsrecon::opencl
