// The machine: limits of this process, large pages, the time, and names for the record.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

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

/// Lets arrays that are freed leave their memory to the next ones of this process, where its
/// library can: the first touch of a page takes longer than what is done with most of them.
void keep_freed_memory();

/// Gives memory that is free within this process back to the system where it is much and its
/// library can: arrays of many sizes that come and go leave gaps.
void give_back_memory();

/// Name of the processor and how many threads it runs at once, as the system reports them.
std::string processor_name();

/// "2026-01-31T23:59:59Z"
std::string utc_now();

/// The limit that getrlimit reports for this process of a resource, such as RLIMIT_DATA; infinity
/// without a limit.
double own_limit(int resource);

/// The limit of `ulimit -v` (RLIMIT_AS) in bytes; infinity without such a limit. It counts
/// addresses, whether they are used or not.
double address_space_limit();

/// Bytes of addresses that this process has reserved and does not use, and those of one thread
/// more: libraries, stacks and malloc's arenas. Threads beyond it share what there is.
double reserved_addresses();

/// Bytes of addresses that PoCL takes to compile the kernels of a small scan: with 2, 8 and 16
/// threads 1.0, 1.5 and 2.1 GB (PoCL 3.1). With less it aborts, crashes or hangs.
double addresses_of_pocl(std::size_t threads);

/// Values in large pages where the system has them. They are not initialised: whoever makes an
/// array writes all of it, on all cores, where a vector would be filled by one.
template <typename Value> class LargeArray {
    static_assert(std::is_trivially_copyable_v<Value>);

public:
    LargeArray() = default;
    /// std::bad_alloc where there is no memory.
    explicit LargeArray(std::size_t count) : values_(allocate(count)), count_(count) {}

    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Value* data() { return values_.get(); }
    const Value* data() const { return values_.get(); }
    Value& operator[](std::size_t index) { return values_.get()[index]; }
    const Value& operator[](std::size_t index) const { return values_.get()[index]; }

private:
    struct Release {
        void operator()(Value* values) const { std::free(values); }
    };
    static Value* allocate(std::size_t count) {
        constexpr std::size_t cache_line = 64;
        void* memory = nullptr;
        if (count == 0) {
            return nullptr;
        }
        if (::posix_memalign(&memory, cache_line, count * sizeof(Value)) != 0) {
            throw std::bad_alloc();
        }
        ask_for_large_pages(memory, count * sizeof(Value));
        return static_cast<Value*>(memory);
    }

    std::unique_ptr<Value, Release> values_;
    std::size_t count_ = 0;
};

/// An empty vector with large pages for so many values, where the system has them.
template <typename Value> std::vector<Value> vector_for(std::size_t count) {
    std::vector<Value> values;
    values.reserve(count);
    ask_for_large_pages(values.data(), count * sizeof(Value));
    return values;
}

/// Wall-clock seconds since a moment of std::chrono::steady_clock.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace lsrecon
