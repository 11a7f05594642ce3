#pragma once

#include <cstddef>
#include <string>

namespace lsrecon {

struct MemoryLimit {
    double bytes = 0;
    std::string whose; ///< owner of the limit for messages: "this machine", ...
};

/// The memory that this process may have at most: the least of the machine's, of its control
/// group's (containers and batch systems limit by these) and of the process's own limits.
/// `root` is where /proc and /sys are, for tests.
MemoryLimit memory_limit(const std::string& root = "");

struct TimeLimit {
    double cores = 0; ///< number of cores whose time it is; infinite without a limit
    std::string group; ///< control group whose limit it is; "" without
};

/// The time on cores that this process and all others of its control group may have: the least
/// quota of its group and of those above, in version 2 or 1.
TimeLimit time_limit(const std::string& root = "");

/// Asks for fewer, larger pages for memory that is about to be filled, where the system has them.
void ask_for_large_pages(void* begin, std::size_t bytes);

/// Gives memory that is free within this process back to the system where it is much and its
/// library can: arrays of many sizes that come and go leave gaps.
void give_back_memory();

/// Name of the processor and how many threads it runs at once, as the system reports them.
std::string processor_name();

/// "2026-01-31T23:59:59Z"
std::string utc_now();

} // namespace lsrecon
