#pragma once

#include <array>
#include <vector>

#include "backend/opencl/queue.hpp"

namespace lsrecon::opencl {

/// Two turns of data on their way to the device: one is packed by the host while kernels read the
/// other.
class UploadRing {
public:
    explicit UploadRing(Queue& queue) : queue_(queue) {}
    UploadRing(const UploadRing&) = delete;
    UploadRing& operator=(const UploadRing&) = delete;

    /// pack(std::vector<float>&) fills the floats of the next turn; they are on the device before
    /// any later launch. Waits for the launches that still read what was there.
    template <typename Pack> const cl::Buffer& next(const Pack& pack) {
        Turn& turn = turns_[count_++ % turns_.size()];
        turn.wait();
        pack(turn.staging);
        const std::size_t bytes = turn.staging.size() * sizeof(float);
        if (turn.bytes < bytes) {
            turn.buffer = queue_.buffer(bytes);
            turn.bytes = bytes;
        }
        queue_.commands().enqueueWriteBuffer(turn.buffer, CL_FALSE, 0, bytes, turn.staging.data(),
                                             nullptr, &turn.used);
        turn.busy = true;
        return turn.buffer;
    }

    /// The last launch that reads what next() gave.
    void read_until(const cl::Event& launch) {
        turns_[(count_ - 1) % turns_.size()].used = launch;
        queue_.commands().flush();
    }

private:
    struct Turn {
        cl::Buffer buffer;
        std::size_t bytes = 0;
        std::vector<float> staging;
        cl::Event used;
        bool busy = false;

        void wait() {
            if (busy) {
                busy = false;
                used.wait();
            }
        }

        Turn() = default;
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        /// The staging memory must outlive its upload, also when an error unwinds the stack.
        ~Turn() {
            try {
                wait();
            } catch (const cl::Error&) {
            }
        }
    };

    Queue& queue_;
    std::array<Turn, 2> turns_;
    std::size_t count_ = 0;
};

} // namespace lsrecon::opencl
