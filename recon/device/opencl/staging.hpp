#pragma once

#include <array>
#include <cstddef>

#include "device/opencl/cl.hpp"

namespace lsrecon::opencl {

/// Copies between a device and any memory of the host by way of memory that the driver has pinned,
/// on all cores: what is not pinned a driver copies on one core, some of it twice.
class Staging {
public:
    explicit Staging(cl::CommandQueue queue, const cl::Context& context);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// `values` may change when it returns.
    void write(const void* values, std::size_t bytes, const cl::Buffer& to, std::size_t offset);
    /// Waits for the values.
    void read(const cl::Buffer& from, std::size_t offset, std::size_t bytes, void* values);

private:
    struct Slot {
        cl::Buffer buffer;
        char* memory = nullptr;
        cl::Event busy;

        void wait();
    };

    cl::CommandQueue queue_;
    std::array<Slot, 2> slots_; ///< one is copied while the other is transferred
};

} // namespace lsrecon::opencl
