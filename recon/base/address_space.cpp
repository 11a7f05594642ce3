#include "base/address_space.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace lsrecon {

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
