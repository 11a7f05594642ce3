#include "device/host_device.hpp"
#include "device/opencl/buffer_memory.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon::opencl {

namespace {

/// Arrays are buffers, for the kernels of transforms, and mapped for everything else.
class CpuDevice : public HostDevice {
public:
    explicit CpuDevice(Queue& queue) : room_(queue) {}

    std::string name() const override { return "the device"; }
    bool has(Precision precision) const override { return room_.has(precision); }
    double memory() const override { return room_.memory(); }
    double room() const override { return room_.room(); }
    double largest_array() const override { return room_.largest_array(); }
    Array zeros(std::size_t count, Element element) override { return room_.zeros(count, element); }

private:
    BufferRoom room_;
};

} // namespace

std::unique_ptr<Device> make_cpu_device(Queue& queue) {
    return std::make_unique<CpuDevice>(queue);
}

std::unique_ptr<Device> make_device(Queue& queue) {
    return queue.info().type == "cpu" ? make_cpu_device(queue) : make_opencl_device(queue);
}

} // namespace lsrecon::opencl
