#pragma once

#include <memory>

#include "device/host_numbers.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon::opencl {

/// A buffer whose numbers belong to the queue's kernels or, mapped, to the host: to whoever asked
/// last. Counts what the arrays of a device take together.
class BufferMemory : public HostNumbers {
public:
    BufferMemory(Queue& queue, std::size_t bytes, cl_mem_flags where,
                 std::shared_ptr<std::size_t> of_all)
        : queue_(queue), buffer_(queue.context(), CL_MEM_READ_WRITE | where, bytes), bytes_(bytes),
          all_bytes_(std::move(of_all)) {
        *all_bytes_ += bytes_;
    }
    /// An error of unmapping would come again with the next command.
    ~BufferMemory() override {
        if (mapped_ != nullptr) {
            clEnqueueUnmapMemObject(queue_.commands()(), buffer_(), mapped_, 0, nullptr, nullptr);
        }
        *all_bytes_ -= bytes_;
    }
    BufferMemory(const BufferMemory&) = delete;
    BufferMemory& operator=(const BufferMemory&) = delete;

    /// For commands of the queue.
    cl::Buffer& buffer() {
        if (mapped_ != nullptr) {
            queue_.commands().enqueueUnmapMemObject(buffer_, mapped_);
            mapped_ = nullptr;
        }
        return buffer_;
    }
    /// Waits for the queue's commands.
    void* begin() override {
        if (mapped_ == nullptr) {
            guarded("reading an array", [&] {
                queue_.finish();
                mapped_ = queue_.commands().enqueueMapBuffer(buffer_, CL_TRUE,
                                                             CL_MAP_READ | CL_MAP_WRITE, 0, bytes_);
            });
        }
        return mapped_;
    }

private:
    Queue& queue_;
    cl::Buffer buffer_;
    std::size_t bytes_;
    std::shared_ptr<std::size_t> all_bytes_;
    void* mapped_ = nullptr;
};

} // namespace lsrecon::opencl
