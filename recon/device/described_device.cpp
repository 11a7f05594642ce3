#include "device/described_device.hpp"

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "device/host_device.hpp"
#include "device/reference_device.hpp"

namespace lsrecon {

namespace {

class DescribedDevice : public HostDevice {
public:
    explicit DescribedDevice(const Machine& machine) : machine_(machine) {}

    std::string kind() const override { return "opencl"; }
    const DeviceInfo& info() const override { return machine_.device; }
    const MachineModel& pace() const override { return machine_.pace; }
    std::string name() const override { return "the device"; }
    Clock& clock() override { return clock_; }
    bool has(Precision precision) const override {
        return precision == Precision::float32 || machine_.device.double_precision;
    }
    double memory() const override { return static_cast<double>(machine_.device.global_bytes); }
    double room() const override { return memory(); }
    double largest_array() const override {
        return static_cast<double>(machine_.device.max_allocation_bytes);
    }
    bool in_host_memory() const override { return machine_.device.type == "cpu"; }
    Array zeros(std::size_t, Element) override {
        throw DeviceError(text(machine_.device.name, " is described, not here"));
    }

private:
    Machine machine_;
    StopWatch clock_;
};

} // namespace

std::unique_ptr<Device> make_described_device(const Machine& machine) {
    return std::make_unique<DescribedDevice>(machine);
}

} // namespace lsrecon
