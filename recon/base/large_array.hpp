#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "base/machine.hpp"

namespace lsrecon {

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

} // namespace lsrecon
