#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "backend/devices.hpp"
#include "backend/opencl/cl.hpp"
#include "backend/opencl/driver_cache.hpp"

namespace lsrecon::opencl {

/// A sum as the kernels keep it: a float and what it lost (kernels/transform.h, add_to_total).
struct Total {
    std::array<float, 2> high{};
    std::array<float, 2> low{};
    std::complex<double> value() const {
        return {static_cast<double>(high[0]) + low[0], static_cast<double>(high[1]) + low[1]};
    }
};

/// One device with its queue, its kernels and its clock: what every transform needs of OpenCL.
class Queue {
public:
    /// `memory` is what may be used of the device's memory, in bytes; 0 for all of it. `note` is
    /// told of trouble with a cache.
    explicit Queue(
        const std::string& wanted_device, double memory = 0, Note note = [](const std::string&) {});

    const DeviceInfo& info() const { return info_; }
    cl::CommandQueue& commands() { return queue_; }
    const cl::Context& context() const { return context_; }

    /// Bytes of device memory that may be used: in all, and in one buffer.
    std::size_t memory() const { return memory_; }
    std::size_t largest_buffer() const { return std::min(memory_, info_.max_allocation_bytes); }

    /// Builds on first use, from the cache on disk when it can.
    cl::Kernel kernel(const std::string& file, const std::string& name, const std::string& options);

    cl::Buffer buffer(std::size_t bytes);
    cl::Buffer zeros(std::size_t bytes);
    cl::Buffer upload(const void* values, std::size_t bytes);
    template <typename Value> cl::Buffer upload(const std::vector<Value>& values) {
        return upload(values.data(), values.size() * sizeof(Value));
    }

    /// Starts the kernel over `items`; work-groups are `local`, which must divide them.
    cl::Event launch(const cl::Kernel& kernel, const cl::NDRange& items, const cl::NDRange& local);
    /// The same in one dimension, rounded up to work-groups of `group` or less, as the kernel and
    /// device allow.
    cl::Event launch(const cl::Kernel& kernel, std::size_t items, std::size_t rows = 1,
                     std::size_t group = 64);

    template <typename... Values>
    static void set_arguments(cl::Kernel& kernel, const Values&... values) {
        cl_uint index = 0;
        (kernel.setArg(index++, values), ...);
    }

    /// Waits for every launch and adds its time to compute_seconds.
    void finish();
    /// Launches that an error left behind do not count in what follows; waits for them, since
    /// until then they hold memory of the device.
    void reset_clock();
    double compute_seconds() const { return compute_seconds_; }

private:
    DeviceInfo info_;
    std::size_t memory_ = 0;
    Note note_;
    cl::Device device_;
    cl::Context context_;
    cl::CommandQueue queue_;
    std::map<std::string, cl::Program> programs_;
    std::map<std::string, cl::Kernel> kernels_;
    std::deque<cl::Event> launches_;
    double compute_seconds_ = 0;
};

} // namespace lsrecon::opencl
