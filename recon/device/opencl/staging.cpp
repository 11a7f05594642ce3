#include "device/opencl/staging.hpp"

#include <cstring>
#include <utility>

#include "base/parallel.hpp"

namespace lsrecon::opencl {

namespace {

constexpr std::size_t bytes_of_slot = std::size_t(16) << 20;

void copy_on_all_cores(const char* from, std::size_t bytes, char* to) {
    for_each_range_in_parallel(bytes, all_cores(), [&](const Range& some) {
        std::memcpy(to + some.first, from + some.first, some.count);
    });
}

} // namespace

void Staging::Slot::wait() {
    if (busy() != nullptr) {
        const cl::Event transfer = std::exchange(busy, cl::Event());
        transfer.wait();
    }
}

Staging::Staging(cl::CommandQueue queue, const cl::Context& context) : queue_(std::move(queue)) {
    for (Slot& slot : slots_) {
        slot.buffer = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes_of_slot);
        slot.memory = static_cast<char*>(queue_.enqueueMapBuffer(
            slot.buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes_of_slot));
    }
}

/// Errors would come again with the next command.
Staging::~Staging() {
    for (Slot& slot : slots_) {
        if (slot.memory != nullptr) {
            clEnqueueUnmapMemObject(queue_(), slot.buffer(), slot.memory, 0, nullptr, nullptr);
        }
    }
}

void Staging::write(const void* values, std::size_t bytes, const cl::Buffer& to,
                    std::size_t offset) {
    const std::vector<Range> ranges = split_into_ranges(bytes, bytes_of_slot);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        Slot& slot = slots_[i % slots_.size()];
        slot.wait();
        copy_on_all_cores(static_cast<const char*>(values) + ranges[i].first, ranges[i].count,
                          slot.memory);
        queue_.enqueueWriteBuffer(to, CL_FALSE, offset + ranges[i].first, ranges[i].count,
                                  slot.memory, nullptr, &slot.busy);
    }
}

void Staging::read(const cl::Buffer& from, std::size_t offset, std::size_t bytes, void* values) {
    const std::vector<Range> ranges = split_into_ranges(bytes, bytes_of_slot);
    for (std::size_t i = 0; i <= ranges.size(); ++i) {
        if (i < ranges.size()) {
            Slot& slot = slots_[i % slots_.size()];
            slot.wait(); // of a write
            queue_.enqueueReadBuffer(from, CL_FALSE, offset + ranges[i].first, ranges[i].count,
                                     slot.memory, nullptr, &slot.busy);
        }
        if (i > 0) {
            Slot& slot = slots_[(i - 1) % slots_.size()];
            slot.wait();
            copy_on_all_cores(slot.memory, ranges[i - 1].count,
                              static_cast<char*>(values) + ranges[i - 1].first);
        }
    }
}

} // namespace lsrecon::opencl
