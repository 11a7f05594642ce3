#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/ranges.hpp"

namespace lsrecon {

/// Asked for once: the system reads it from a file each time, which takes longer than small work.
inline std::size_t cores_of_machine() {
    static const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    return cores;
}

/// The cores on which the system lets this thread run: some of a node's in a job, and a share of
/// their time in a container.
struct AllowedCores {
    std::vector<int> numbers;
    double quota; ///< cores' worth of time; infinite where nothing limits it
    std::string group; ///< the control group that has the quota; "" without

    template <typename Archive> void each(Archive& archive) { archive(numbers, quota, group); }
};
/// `root` is where /proc and /sys are, for tests.
AllowedCores allowed_cores(const std::string& root = "");

/// The number of cores that process `here` of those on a node works on: the share of each core
/// where others may run on it, too, and no more than the quota that it shares with those of its
/// group. The number is whole, since threads wait for each other, and at least one.
std::size_t share_of_cores(const std::vector<AllowedCores>& of_node, std::size_t here);

/// The number of cores that this process works on: fewer than the machine's where others share
/// them. The results of the process do not depend on it.
std::size_t all_cores();
/// Limits the number of cores from now on.
void limit_cores(std::size_t most);

/// Calls work(core) for every core below `cores`, side by side, on threads that wait for the next
/// call. Where the system gives no more threads, this one does their work. The first exception of
/// the lowest core is thrown again when all have ended.
void on_cores(std::size_t cores, const std::function<void(std::size_t core)>& work);

/// Calls work(i) for every i below `count`, on all cores; core t of n takes t, t + n, ...
template <typename Work> void for_each_in_parallel(std::size_t count, const Work& work) {
    const std::size_t cores = std::min(count, all_cores());
    const auto of_core = [&](std::size_t core) {
        for (std::size_t i = core; i < count; i += cores) {
            work(i);
        }
    };
    if (cores < 2) { // nothing is set up for small work
        of_core(0);
    } else {
        on_cores(cores, std::cref(of_core));
    }
}

/// Cores for so many numbers: with fewer each, a thread takes longer to start than to work.
inline std::size_t cores_for(std::size_t numbers) {
    constexpr std::size_t worth_a_core = std::size_t(1) << 17;
    return std::clamp<std::size_t>(numbers / worth_a_core, 1, all_cores());
}

/// Calls work(range) for ranges that `count` is divided into, one for each of these cores.
template <typename Work>
void for_each_range_in_parallel(std::size_t count, std::size_t cores, const Work& work) {
    if (cores < 2 && count > 0) {
        return work(Range{0, count});
    }
    const std::vector<Range> ranges = split_into_ranges(count, divide_up(count, cores));
    for_each_in_parallel(ranges.size(), [&](std::size_t i) { work(ranges[i]); });
}

/// The results of work(range) for such ranges, in their order: how many there are depends on the
/// number of cores.
template <typename Work>
auto of_each_range(std::size_t count, std::size_t cores, const Work& work) {
    const std::vector<Range> ranges = split_into_ranges(count, divide_up(count, cores));
    std::vector<decltype(work(Range{}))> results(ranges.size());
    for_each_in_parallel(ranges.size(), [&](std::size_t i) { results[i] = work(ranges[i]); });
    return results;
}

} // namespace lsrecon
