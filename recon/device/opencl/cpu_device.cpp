#include "device/host_device.hpp"
#include "device/opencl/buffer_memory.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon {

namespace opencl {

namespace {

/// Arrays are buffers, for the kernels of transforms, and mapped for everything else.
class CpuDevice : public HostDevice, public OnQueue {
public:
    explicit CpuDevice(std::unique_ptr<Queue> queue) : room_(std::move(queue)) {}

    std::string kind() const override { return "opencl"; }
    const DeviceInfo& info() const override { return room_.queue().info(); }
    std::string name() const override { return "the device"; }
    Clock& clock() override { return room_.queue(); }
    void open_ahead() override { room_.queue().open_ahead(); }
    Queue& queue() override { return room_.queue(); }
    bool has(Precision precision) const override { return room_.has(precision); }
    double memory() const override { return room_.memory(); }
    double room() const override { return room_.room(); }
    double largest_array() const override { return room_.largest_array(); }
    Array zeros(std::size_t count, Element element) override { return room_.zeros(count, element); }

private:
    BufferRoom room_;
};

} // namespace

Queue& queue_of(Device& device) {
    return dynamic_cast<OnQueue&>(device).queue();
}

std::unique_ptr<Device> make_cpu_device(std::unique_ptr<Queue> queue) {
    return std::make_unique<CpuDevice>(std::move(queue));
}

std::unique_ptr<Device> make_device(std::unique_ptr<Queue> queue) {
    return queue->info().type == "cpu" ? make_cpu_device(std::move(queue))
                                       : make_opencl_device(std::move(queue));
}

} // namespace opencl

std::unique_ptr<Device> open_device(const std::string& wanted, double memory,
                                    std::function<void(const std::string&)> note) {
    return opencl::guarded("opening the device", [&] {
        return opencl::make_device(
            std::make_unique<opencl::Queue>(wanted, memory, std::move(note)));
    });
}

} // namespace lsrecon
