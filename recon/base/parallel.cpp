#include "base/parallel.hpp"

#include <atomic>
#include <limits>

#include <sched.h>

namespace lsrecon {

namespace {

std::atomic<std::size_t> most_cores{std::numeric_limits<std::size_t>::max()};

} // namespace

std::size_t allowed_cores() {
    cpu_set_t allowed;
    const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    return known ? static_cast<std::size_t>(CPU_COUNT(&allowed)) : cores_of_machine();
}

std::size_t all_cores() {
    return std::min(most_cores.load(), cores_of_machine());
}

void limit_cores(std::size_t most) {
    most_cores = most;
}

} // namespace lsrecon
