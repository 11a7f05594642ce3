#include "base/machine.hpp"

#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "base/address_space.hpp"

#ifdef __GLIBC__ // which the headers above tell
#include <malloc.h>
#endif

namespace lsrecon {

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// No limit where there is no such file, or a word in place of the number ("max").
double first_number(const std::string& path) {
    std::ifstream file(path);
    double number = 0;
    return file >> number ? number : no_limit;
}

} // namespace

MemoryLimit memory_limit(const std::string& root) {
    MemoryLimit least{static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<double>(sysconf(_SC_PAGE_SIZE)),
                      "this machine"};
    const auto consider = [&](double bytes, const std::string& whose) {
        if (bytes < least.bytes) {
            least = {bytes, whose};
        }
    };
    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // "0::/path" in version 2, "9:memory:/path" in version 1
        const std::size_t name = line.find(':') + 1;
        const std::size_t path = line.find(':', name) + 1;
        const std::string controllers = "," + line.substr(name, path - name - 1) + ",";
        const bool second = controllers == ",,";
        if (!second && controllers.find(",memory,") == std::string::npos) {
            continue;
        }
        const std::string folder = root + (second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
        const std::string file = second ? "/memory.max" : "/memory.limit_in_bytes";
        // A limit of any group above holds as well. In a container the groups above are hidden.
        for (std::string group = line.substr(path);; group.resize(group.rfind('/'))) {
            consider(first_number(folder + group + file), "this control group (cgroup)");
            if (group.find('/') == std::string::npos) {
                break;
            }
        }
    }
    consider(address_space_limit(), "this process (ulimit -v)");
    consider(own_limit(RLIMIT_DATA), "this process (ulimit -d)");
    return least;
}

void ask_for_large_pages(void* begin, std::size_t bytes) {
    constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
    const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
    if (first < end) { // a hint: nothing is lost where it is refused
        ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
    }
}

void give_back_memory() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

std::string processor_name() {
    std::string name = "unknown processor";
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) {
            name = line.substr(line.find(':') + 2);
            break;
        }
    }
    return name + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

std::string utc_now() {
    const std::time_t time = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char buffer[32];
    std::strftime(buffer, sizeof(buffer), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return buffer;
}

} // namespace lsrecon
