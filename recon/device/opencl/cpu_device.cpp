#include <cstring>

#include "device/host_device.hpp"
#include "device/opencl/buffer_memory.hpp"
#include "device/opencl/opencl_device.hpp"

namespace lsrecon::opencl {

namespace {

/// Arrays are buffers, for the kernels of transforms, and mapped for everything else.
class CpuDevice : public HostDevice {
public:
    explicit CpuDevice(Queue& queue) : queue_(queue) {}

    std::string name() const override { return "the device"; }
    bool has(Precision precision) const override {
        return precision == Precision::float32 || queue_.info().double_precision;
    }
    double memory() const override { return static_cast<double>(queue_.memory()); }
    double room() const override {
        return memory() - std::min(memory(), static_cast<double>(*all_bytes_));
    }
    double largest_array() const override { return static_cast<double>(queue_.largest_buffer()); }

    Array zeros(std::size_t count, Element element) override {
        return guarded("an array on the device", [&]() -> Array {
            // The device's memory is the host's: mapped, it is not copied.
            auto memory = std::make_shared<BufferMemory>(queue_, count * element.bytes(),
                                                         CL_MEM_ALLOC_HOST_PTR, all_bytes_);
            std::memset(memory->begin(), 0, count * element.bytes());
            return {count, element, std::move(memory)};
        });
    }

private:
    Queue& queue_;
    std::shared_ptr<std::size_t> all_bytes_ = std::make_shared<std::size_t>(0);
};

} // namespace

std::unique_ptr<Device> make_cpu_device(Queue& queue) {
    return std::make_unique<CpuDevice>(queue);
}

std::unique_ptr<Device> make_device(Queue& queue) {
    return queue.info().type == "cpu" ? make_cpu_device(queue) : make_opencl_device(queue);
}

} // namespace lsrecon::opencl
