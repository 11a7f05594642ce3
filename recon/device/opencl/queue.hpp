// A device of OpenCL with its queue, and how values come to it and from it.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "device/device.hpp"
#include "device/devices.hpp"
#include "device/opencl/cl.hpp"
#include "device/opencl/drivers.hpp"

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

/// A number in the precision that a kernel takes it in.
struct Real {
    double value;
    Precision precision;
};

/// A device of OpenCL with its queue, its kernels and its clock.
class Queue : public Clock {
public:
    /// `memory` is what may be used of the device's memory, in bytes; 0 for all of it.
    /// `on_finding` is called on trouble with a cache.
    explicit Queue(
        const std::string& wanted_device, double memory = 0,
        OnFinding on_finding = [](const Finding&) {});

    const DeviceInfo& info() const { return info_; }
    /// Opens the device on a thread of its own; what needs it waits. Without, first use opens it.
    void open_ahead();
    cl::CommandQueue& commands() { return opened_.get().queue; }
    const cl::Context& context() const { return opened_.get().context; }

    /// Bytes of device memory that may be used: in all, and in one buffer.
    std::size_t memory() const { return memory_; }
    std::size_t largest_buffer() const { return std::min(memory_, info_.max_allocation_bytes); }

    /// Builds on first use, from the cache on disk when it can.
    cl::Kernel kernel(const std::string& file, const std::string& name, const std::string& options);

    cl::Buffer buffer(std::size_t bytes);
    cl::Buffer zeros(std::size_t bytes);
    /// Fills a buffer with zeros, some at a time: a driver of NVIDIA hangs on 8 GiB.
    void fill(const cl::Buffer& buffer, std::size_t bytes);
    /// Values that may change when it returns.
    void write(const void* values, std::size_t bytes, const cl::Buffer& to, std::size_t offset = 0);
    /// Waits for the values, and for all launches before them.
    void read(const cl::Buffer& from, std::size_t offset, std::size_t bytes, void* values);
    cl::Buffer upload(const void* values, std::size_t bytes);
    template <typename Value> cl::Buffer upload(const std::vector<Value>& values) {
        return upload(values.data(), values.size() * sizeof(Value));
    }

    /// Starts the kernel over `items`; work-groups are `local`, which must divide them.
    cl::Event launch(const cl::Kernel& kernel, const cl::NDRange& items, const cl::NDRange& local);
    /// Starts the kernel in one dimension, rounded up to work-groups of `group` or less, as the
    /// kernel and device allow.
    cl::Event launch(const cl::Kernel& kernel, std::size_t items, std::size_t rows = 1,
                     std::size_t group = 64);

    template <typename Value>
    static void set_argument(cl::Kernel& kernel, cl_uint index, const Value& value) {
        kernel.setArg(index, value);
    }
    static void set_argument(cl::Kernel& kernel, cl_uint index, const Real& number) {
        if (number.precision == Precision::float64) {
            kernel.setArg(index, number.value);
        } else {
            kernel.setArg(index, static_cast<cl_float>(number.value));
        }
    }
    template <typename... Values>
    static void set_arguments(cl::Kernel& kernel, const Values&... values) {
        cl_uint index = 0;
        (set_argument(kernel, index++, values), ...);
    }

    /// Starts the kernel in up to three dimensions, in work-groups of one size (kernels/real.h,
    /// ONLY).
    template <typename... Values> void launch_items(cl::Kernel kernel,
                                                    const std::array<std::size_t, 3>& items,
                                                    const Values&... values) {
        set_arguments(kernel, static_cast<cl_ulong>(items[0]), values...);
        const std::size_t local =
            std::min<std::size_t>(64, kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_));
        launch(kernel, cl::NDRange((items[0] + local - 1) / local * local, items[1], items[2]),
               cl::NDRange(local, 1, 1));
    }

    /// Waits until at most a few launches are queued, so that reported progress is not far ahead of
    /// the device and an interrupt does not wait long.
    void limit_queued_launches();

    /// Waits for every launch and adds its time to the seconds.
    void finish();
    /// Waits for launches that an error left behind, since they hold device memory until they end,
    /// and leaves them out of the seconds.
    void abandon_launches();
    void restart() override {
        abandon_launches();
        seconds_ = 0;
    }
    double seconds() const override { return seconds_; }

private:
    struct Opened {
        cl::Context context;
        mutable cl::CommandQueue queue; ///< CLHPP's calls are not const
        std::unique_ptr<Staging> staging; ///< none where the device's memory is the host's
    };
    static Opened open(const cl::Device& device, bool with_staging);
    /// What copies so many bytes by way of pinned memory; null where that gains nothing.
    Staging* staging_of(std::size_t bytes) const;

    DeviceInfo info_;
    std::size_t memory_ = 0;
    OnFinding on_finding_;
    cl::Device device_;
    std::shared_future<Opened> opened_;
    std::map<std::string, cl::Program> programs_;
    std::map<std::string, cl::Kernel> kernels_;
    std::deque<cl::Event> launches_;
    double seconds_ = 0;
};

} // namespace lsrecon::opencl
