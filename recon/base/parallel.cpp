#include "base/parallel.hpp"

#include <atomic>
#include <limits>

namespace lsrecon {

namespace {

std::atomic<std::size_t> most_cores{std::numeric_limits<std::size_t>::max()};

} // namespace

std::size_t all_cores() {
    return std::min(most_cores.load(), cores_of_machine());
}

void limit_cores(std::size_t most) {
    most_cores = most;
}

} // namespace lsrecon
