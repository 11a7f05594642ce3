// Work on several cores, and in the vector units of each.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/ranges.hpp"

// Compilers make vectors of plain loops, as wide as every x86-64 has them, and twice as wide for
// processors with AVX2: the loader chooses, which needs glibc, and which ThreadSanitizer forbids.
// Members of a template lose it to an explicit specialisation of one of them further up.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_THREAD__)
#define LSRECON_AVX2_CLONE __attribute__((target_clones("avx2", "default")))
#define LSRECON_WIDE_CLONE __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define LSRECON_AVX2_CLONE
#define LSRECON_WIDE_CLONE
#endif

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

/// The number of cores that process `rank` of those on a node works on: the share of each core
/// where others may run on it, too, and no more than the quota that it shares with those of its
/// group. The number is whole, since threads wait for each other, and at least one.
std::size_t share_of_cores(const std::vector<AllowedCores>& of_node, std::size_t rank);

/// The number of cores that this thread works on: fewer than the machine's where others share
/// them. Results do not depend on it.
std::size_t all_cores();
/// Limits the number of cores of this thread from now on, and of the work that on_cores() does for
/// it; in such work until it ends. Returns the limit before.
std::size_t limit_cores(std::size_t most);

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
inline std::size_t cores_for(std::size_t numbers, std::size_t worth_a_core = 32768) {
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

/// Calls work() on a thread of its own, on the cores of this one, while this one asks a device for
/// something: where `is_beside`, and the system has a thread. Else the thread that asks for the
/// result calls it.
template <typename Work> auto beside(bool is_beside, Work work) {
    auto on_same_cores = [limit = all_cores(), work = std::move(work)]() mutable {
        limit_cores(limit);
        return work();
    };
    return std::async(is_beside ? std::launch::async | std::launch::deferred
                                : std::launch::deferred,
                      std::move(on_same_cores));
}

/// Hands values from one thread to another, one at a time: who gives waits until it is taken, so
/// that neither is more than one value ahead.
template <typename Value> class Handover {
public:
    /// False when it was closed before the value was taken.
    bool put(Value value) {
        std::unique_lock<std::mutex> lock(mutex_);
        value_ = std::move(value);
        changed_.notify_all();
        changed_.wait(lock, [&] { return !value_ || closed_; });
        return !value_;
    }

    /// Waits for the next one; none when it was closed.
    std::optional<Value> take() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return value_ || closed_; });
        if (closed_) {
            return std::nullopt;
        }
        std::optional<Value> taken = std::exchange(value_, std::nullopt);
        changed_.notify_all();
        return taken;
    }

    /// Called by either side: nobody waits any more.
    void close() {
        const std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Value> value_;
    bool closed_ = false;
};

} // namespace lsrecon
