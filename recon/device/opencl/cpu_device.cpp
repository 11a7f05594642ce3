#include "device/host_device.hpp"
#include "device/opencl/buffer_memory.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon {

namespace opencl {

namespace {

/// Arrays are buffers, for the kernels of transforms, and mapped for everything else.
class CpuDevice : public QueueDevice<HostDevice> {
public:
    using QueueDevice::QueueDevice;
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
                                    OnFinding on_finding) {
    return opencl::guarded("opening the device", [&] {
        return opencl::make_device(
            std::make_unique<opencl::Queue>(wanted, memory, std::move(on_finding)));
    });
}

} // namespace lsrecon
