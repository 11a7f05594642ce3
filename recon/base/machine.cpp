// The cores and the memory that this process may use, by the system and its control groups.

#include "base/machine.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#ifdef __GLIBC__ // which the headers above define
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

/// Calls visit(its folder, whether it is of version 2) for the control group of this process that
/// has the controller, and for those above: their limits hold as well. In a container the groups
/// above are hidden.
template <typename Visit>
void for_each_group(const std::string& root, const std::string& controller, const Visit& visit) {
    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        // "0::/path" in version 2, "9:memory:/path" in version 1
        const std::size_t name = line.find(':') + 1;
        const std::size_t path = line.find(':', name) + 1;
        const std::string controllers = "," + line.substr(name, path - name - 1) + ",";
        const bool second = controllers == ",,";
        if (!second && controllers.find("," + controller + ",") == std::string::npos) {
            continue;
        }
        const std::string folder = root + "/sys/fs/cgroup" + (second ? "" : "/" + controller);
        for (std::string group = line.substr(path);; group.resize(group.rfind('/'))) {
            visit(folder + group, second);
            if (group.find('/') == std::string::npos) {
                break;
            }
        }
    }
}

void take_less(double bytes, const std::string& whose, MemoryLimit& least) {
    if (bytes < least.bytes) {
        least = {bytes, whose};
    }
}

/// The limit of the machine and of the control groups of this process.
MemoryLimit limit_of_groups(const std::string& root) {
    MemoryLimit least{static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<double>(sysconf(_SC_PAGE_SIZE)),
                      "this machine"};
    for_each_group(root, "memory", [&](const std::string& group, bool second) {
        take_less(first_number(group + (second ? "/memory.max" : "/memory.limit_in_bytes")),
                  "this control group (cgroup)", least);
    });
    return least;
}

} // namespace

MemoryLimit memory_limit(const std::string& root) {
    // Asked for once: a batch asks several times a scan, each of which reads files.
    static const MemoryLimit own = limit_of_groups("");
    MemoryLimit least = root.empty() ? own : limit_of_groups(root);
    take_less(address_space_limit(), "this process (ulimit -v)", least);
    take_less(own_limit(RLIMIT_DATA), "this process (ulimit -d)", least);
    return least;
}

TimeLimit time_limit(const std::string& root) {
    TimeLimit least{no_limit, ""};
    for_each_group(root, "cpu", [&](const std::string& group, bool second) {
        // "200000 100000" or "max 100000" in version 2; in version 1 two files, and -1
        std::ifstream file(group + "/cpu.max");
        double quota = second ? 0 : first_number(group + "/cpu.cfs_quota_us");
        double period = second ? 0 : first_number(group + "/cpu.cfs_period_us");
        if (second && !(file >> quota >> period)) {
            return;
        }
        if (quota > 0 && period > 0 && quota / period < least.cores) {
            least = {quota / period, group};
        }
    });
    return least;
}

void ask_for_large_pages(void* begin, std::size_t bytes) {
    constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
    const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
#ifdef MADV_HUGEPAGE
    if (first < end) { // a hint: nothing is lost where it is refused
        ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
    }
#else
    static_cast<void>(first < end);
#endif
}

void keep_freed_memory() {
#ifdef __GLIBC__
    ::mallopt(M_MMAP_MAX, 0); // large arrays come from the heap, too
    ::mallopt(M_TRIM_THRESHOLD, -1); // whose end stays
#endif
}

void give_back_memory() {
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    constexpr std::size_t worth_it = std::size_t(64) << 20; // else it is soon asked for again
    if (::mallinfo2().fordblks < worth_it) {
        return;
    }
#endif
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

namespace {

constexpr double arena = 64 * 1024 * 1024; // of glibc's malloc, one a thread
constexpr double stack = 8 * 1024 * 1024;

} // namespace

double own_limit(int resource) {
    rlimit limit{};
    const auto which = static_cast<decltype(RLIMIT_AS)>(resource);
    const bool limited = ::getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? static_cast<double>(limit.rlim_cur) : std::numeric_limits<double>::infinity();
}

double address_space_limit() {
    return own_limit(RLIMIT_AS);
}

double reserved_addresses() {
    double pages = 0;
    double resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return std::max(0.0, pages - resident) * static_cast<double>(::sysconf(_SC_PAGE_SIZE)) + arena +
           stack;
}

double addresses_of_pocl(std::size_t threads) {
    return 900e6 + static_cast<double>(threads) * (arena + stack);
}

} // namespace lsrecon
