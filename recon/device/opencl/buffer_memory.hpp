#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/ranges.hpp"
#include "device/device.hpp"
#include "device/host_loops.hpp"
#include "device/host_numbers.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

/// Numbers that belong to the queue's kernels or to the host: to whoever asked last. Memory of a
/// CPU device is the host's until a kernel first asks for it: each command costs such a device two
/// switches of threads, and most arrays of a solver see no kernel.
class BufferMemory : public HostNumbers {
public:
    /// Counted in `of_all` while it lives.
    BufferMemory(Queue& queue, std::size_t bytes, bool in_host_memory,
                 std::shared_ptr<std::size_t> of_all)
        : queue_(queue), bytes_(bytes), all_bytes_(std::move(of_all)) {
        if (!in_host_memory) {
            buffer_ = queue_.buffer(bytes_);
        } else if (bytes_ <= queue_.info().max_allocation_bytes) {
            // posix_memalign, because aligned_alloc takes only whole pages.
            if (::posix_memalign(&host_, page, round_up(bytes_, cache_line)) != 0) {
                host_ = nullptr;
            }
        }
        if (in_host_memory && host_ == nullptr) {
            throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "posix_memalign");
        }
        *all_bytes_ += bytes_;
    }
    /// An error of unmapping would come again with the next command.
    ~BufferMemory() override {
        if (buffer_() == nullptr) {
            std::free(host_);
        } else if (host_ != nullptr) {
            clEnqueueUnmapMemObject(queue_.commands()(), buffer_(), host_, 0, nullptr, nullptr);
        }
        *all_bytes_ -= bytes_;
    }
    BufferMemory(const BufferMemory&) = delete;
    BufferMemory& operator=(const BufferMemory&) = delete;

    /// The buffer, for commands of the queue.
    cl::Buffer& buffer() {
        if (buffer_() == nullptr) {
            buffer_ = cl::Buffer(queue_.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_,
                                 host_);
            // Commands that are queued may outlive this object.
            buffer_.setDestructorCallback([](cl_mem, void* memory) { std::free(memory); }, host_);
        } else if (host_ != nullptr) {
            queue_.commands().enqueueUnmapMemObject(buffer_, host_);
        }
        host_ = nullptr;
        return buffer_;
    }
    void* begin() override {
        if (host_ == nullptr) {
            guarded("mapping an array", [&] {
                queue_.finish();
                host_ = queue_.commands().enqueueMapBuffer(buffer_, CL_TRUE,
                                                           CL_MAP_READ | CL_MAP_WRITE, 0, bytes_);
            });
        }
        return host_;
    }

private:
    // Drivers copy what begins or ends elsewhere.
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t cache_line = 64;

    Queue& queue_;
    cl::Buffer buffer_; ///< none before a command needs it
    std::size_t bytes_;
    std::shared_ptr<std::size_t> all_bytes_;
    void* host_ = nullptr; ///< the numbers, while they are the host's
};

/// A queue and the memory of the arrays on it.
class BufferRoom {
public:
    explicit BufferRoom(std::unique_ptr<Queue> queue) : owned_(std::move(queue)) {}

    Queue& queue() const { return queue_; }
    bool has(Precision precision) const {
        return precision == Precision::float32 || queue_.info().double_precision;
    }
    double memory() const { return static_cast<double>(queue_.memory()); }
    double room() const { return memory() - std::min(memory(), static_cast<double>(*all_bytes_)); }
    double largest_array() const { return static_cast<double>(queue_.largest_buffer()); }
    bool is_host_memory() const { return queue_.info().type == "cpu"; }

    Array zeros(std::size_t count, Element element) {
        return guarded("an array on the device", [&]() -> Array {
            const std::size_t bytes = count * element.bytes();
            auto memory =
                std::make_shared<BufferMemory>(queue_, bytes, is_host_memory(), all_bytes_);
            // Drivers allocate at first use: force that here, where a failure can be reported.
            if (is_host_memory()) {
                fill_with_zeros(memory->begin(), bytes);
            } else {
                queue_.fill(memory->buffer(), bytes);
            }
            return {count, element, std::move(memory)};
        });
    }

private:
    std::unique_ptr<Queue> owned_;
    Queue& queue_ = *owned_;
    std::shared_ptr<std::size_t> all_bytes_ = std::make_shared<std::size_t>(0);
};

/// A device of a queue.
class OnQueue {
public:
    virtual ~OnQueue() = default;
    virtual Queue& queue() = 0;
};

/// A device of a queue, whose verbs are those of `Verbs`.
template <typename Verbs> class QueueDevice : public Verbs, public OnQueue {
public:
    explicit QueueDevice(std::unique_ptr<Queue> queue)
        : room_(std::move(queue)), pace_(pace_of(info())) {}

    std::string kind() const override { return "opencl"; }
    const DeviceInfo& info() const override { return room_.queue().info(); }
    const MachineModel& pace() const override { return pace_; }
    std::string name() const override { return "the device"; }
    Clock& clock() override { return room_.queue(); }
    void open_ahead() override { room_.queue().open_ahead(); }
    void open() override { room_.queue().context(); }
    Queue& queue() override { return room_.queue(); }
    bool has(Precision precision) const override { return room_.has(precision); }
    double memory() const override { return room_.memory(); }
    double room() const override { return room_.room(); }
    double largest_array() const override { return room_.largest_array(); }
    bool in_host_memory() const override { return room_.is_host_memory(); }
    Array zeros(std::size_t count, Element element) override { return room_.zeros(count, element); }

private:
    BufferRoom room_;
    MachineModel pace_;
};

} // namespace lsrecon::opencl
