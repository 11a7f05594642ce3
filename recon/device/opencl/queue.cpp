// Opens a device on a thread of its own, launches and times kernels, and copies through two pinned
// buffers of 16 MiB.

#include "device/opencl/queue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "device/opencl/drivers.hpp"
#include "device/opencl/program.hpp"

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

Queue::Queue(const std::string& wanted_device, double memory, OnFinding on_finding)
    : on_finding_(std::move(on_finding)) {
    const std::vector<DeviceInfo> devices = list_devices();
    const int index = choose_device(devices, wanted_device);
    info_ = devices[static_cast<std::size_t>(index)];
    memory_ = info_.global_bytes;
    if (memory > 0) {
        memory_ = static_cast<std::size_t>(std::min(memory, static_cast<double>(memory_)));
    }
    device_ = device_handles()[static_cast<std::size_t>(index)];
    if (is_pocl(device_) && driver_cache().folder.empty()) {
        throw DeviceError(trouble_with_driver_cache()); // PoCL itself would end the process
    }
    if (is_pocl(device_) && !driver_cache().passed_over.empty()) {
        on_finding_(
            {Found::cache_passed_over,
             {},
             {{"folder", driver_cache().folder}, {"passed_over", driver_cache().passed_over}}});
    }
    opened_ = std::async(std::launch::deferred, &open, device_, info_.type != "cpu");
}

Queue::Opened Queue::open(const cl::Device& device, bool with_staging) {
    return guarded("opening the device", [&] {
        const cl::Context context(device);
        const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
        return Opened{context, queue,
                      with_staging ? std::make_unique<Staging>(queue, context) : nullptr};
    });
}

void Queue::open_ahead() {
    if (opened_.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) {
        opened_ = std::async(std::launch::async | std::launch::deferred, &open, device_,
                             info_.type != "cpu");
    }
}

cl::Kernel Queue::kernel(const std::string& file, const std::string& name,
                         const std::string& options) {
    const std::string of_program = file + " " + options;
    const std::string key = name + " of " + of_program;
    if (kernels_.count(key) == 0) {
        if (programs_.count(of_program) == 0) {
            // Without -w, PoCL prints on stderr the number of Clang's warnings on the ABI of wide
            // vectors.
            programs_[of_program] = build_program(context(), device_, file, kernel_source(file),
                                                  "-cl-std=CL1.2 -w " + options, on_finding_);
        }
        kernels_[key] = cl::Kernel(programs_[of_program], name.c_str());
    }
    return kernels_[key];
}

cl::Buffer Queue::buffer(std::size_t bytes) {
    return cl::Buffer(context(), CL_MEM_READ_WRITE, bytes);
}

cl::Buffer Queue::zeros(std::size_t bytes) {
    cl::Buffer result = buffer(bytes);
    fill(result, bytes);
    return result;
}

void Queue::fill(const cl::Buffer& buffer, std::size_t bytes) {
    constexpr std::size_t at_a_time = std::size_t(1) << 30;
    for (const Range& some : split_into_ranges(bytes, at_a_time)) {
        commands().enqueueFillBuffer(buffer, cl_float(0), some.first, some.count);
    }
}

cl::Buffer Queue::upload(const void* values, std::size_t bytes) {
    cl::Buffer result = buffer(bytes);
    write(values, bytes, result);
    return result;
}

Staging* Queue::staging_of(std::size_t bytes) const {
    constexpr std::size_t least = std::size_t(1) << 20;
    return bytes >= least ? opened_.get().staging.get() : nullptr;
}

void Queue::write(const void* values, std::size_t bytes, const cl::Buffer& to, std::size_t offset) {
    if (Staging* staging = staging_of(bytes)) {
        staging->write(values, bytes, to, offset);
    } else {
        commands().enqueueWriteBuffer(to, CL_TRUE, offset, bytes, values);
    }
}

void Queue::read(const cl::Buffer& from, std::size_t offset, std::size_t bytes, void* values) {
    if (Staging* staging = staging_of(bytes)) {
        staging->read(from, offset, bytes, values);
    } else {
        commands().enqueueReadBuffer(from, CL_TRUE, offset, bytes, values);
    }
    finish();
}

cl::Event Queue::launch(const cl::Kernel& kernel, const cl::NDRange& items,
                        const cl::NDRange& local) {
    cl::Event event;
    commands().enqueueNDRangeKernel(kernel, cl::NullRange, items, local, nullptr, &event);
    launches_.push_back(event);
    return event;
}

cl::Event Queue::launch(const cl::Kernel& kernel, std::size_t items, std::size_t rows,
                        std::size_t group) {
    const std::size_t allowed = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_);
    const std::size_t local = std::min(group, allowed);
    return launch(kernel, cl::NDRange(round_up(items, local), rows), cl::NDRange(local, 1));
}

void Queue::limit_queued_launches() {
    constexpr std::size_t most_ahead = 16;
    if (launches_.size() > most_ahead) {
        commands().flush();
        launches_[launches_.size() - most_ahead].wait();
    }
}

void Queue::abandon_launches() {
    if (!launches_.empty()) {
        launches_.clear();
        try {
            commands().finish();
        } catch (const cl::Error&) { // already reported by the failure that left them behind
        }
    }
}

void Queue::finish() {
    const std::deque<cl::Event> launches = std::move(launches_);
    launches_.clear();
    commands().finish();
    for (const cl::Event& event : launches) {
        const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
        const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
        seconds_ += 1e-9 * static_cast<double>(end - start);
    }
}

} // namespace lsrecon::opencl
