#include "base/parallel.hpp"

#include <atomic>
#include <limits>
#include <map>

#include <sched.h>

#include "base/machine.hpp"

namespace lsrecon {

namespace {

std::atomic<std::size_t> most_cores{std::numeric_limits<std::size_t>::max()};

} // namespace

AllowedCores allowed_cores(const std::string& root) {
    const TimeLimit limit = time_limit(root);
    AllowedCores allowed{{}, limit.cores, limit.group};
    cpu_set_t mask;
    const bool known = ::sched_getaffinity(0, sizeof mask, &mask) == 0;
    const int end = known ? CPU_SETSIZE : static_cast<int>(cores_of_machine());
    for (int core = 0; core < end; ++core) {
        if (!known || CPU_ISSET(core, &mask)) {
            allowed.numbers.push_back(core);
        }
    }
    return allowed;
}

std::size_t share_of_cores(const std::vector<AllowedCores>& of_node, std::size_t here) {
    const AllowedCores& own = of_node[here];
    std::map<int, double> users; // of a core
    double of_group = 0;
    for (const AllowedCores& other : of_node) {
        for (const int core : other.numbers) {
            users[core] += 1;
        }
        of_group += other.group == own.group ? 1 : 0;
    }
    double cores = 0;
    for (const int core : own.numbers) {
        cores += 1 / users[core];
    }
    constexpr double rounding = 1e-6;
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(std::min(cores, own.quota / of_group) + rounding));
}

std::size_t all_cores() {
    return std::min(most_cores.load(), cores_of_machine());
}

void limit_cores(std::size_t most) {
    most_cores = most;
}

} // namespace lsrecon
