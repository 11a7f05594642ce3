#include "device/processors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "device/host_device.hpp"
#include "device/host_loops.hpp"
#include "device/host_numbers.hpp"

namespace lsrecon {

namespace {

/// Zeros on whole pages, counted in `of_all` while they live.
class Memory : public HostNumbers {
public:
    Memory(std::size_t bytes, std::shared_ptr<double> of_all)
        : bytes_(static_cast<double>(bytes)), all_bytes_(std::move(of_all)) {
        constexpr std::size_t page = 4096;
        if (::posix_memalign(&begin_, page, std::max<std::size_t>(1, bytes)) != 0) {
            throw DeviceError(text("no memory for an array of ", std::ceil(bytes_ / 1024 / 1024),
                                   " MiB\n  next:     end other programs, or take a smaller "
                                   "`matrix`"));
        }
        fill_with_zeros(begin_, bytes);
        *all_bytes_ += bytes_;
    }
    ~Memory() override {
        std::free(begin_);
        *all_bytes_ -= bytes_;
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* begin() override { return begin_; }

private:
    void* begin_ = nullptr;
    double bytes_;
    std::shared_ptr<double> all_bytes_;
};

DeviceInfo info_of_processors(double memory) {
    const double limit = memory_limit().bytes;
    DeviceInfo info;
    info.name = processor_name();
    info.type = "cpu";
    info.double_precision = true;
    info.compute_units = static_cast<unsigned>(all_cores());
    info.clock_mhz = 2600; // about that of any server
    info.global_bytes = static_cast<std::size_t>(memory > 0 ? std::min(memory, limit) : limit);
    info.max_allocation_bytes = info.global_bytes;
    return info;
}

/// All of the time since it was restarted: nothing is copied to another memory.
class Elapsed : public Clock {
public:
    void restart() override { start_ = std::chrono::steady_clock::now(); }
    double seconds() const override { return seconds_since(start_); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Processors : public HostDevice {
public:
    explicit Processors(double memory) : info_(info_of_processors(memory)) {}

    std::string kind() const override { return "host"; }
    const DeviceInfo& info() const override { return info_; }
    const MachineModel& pace() const override { return pace_; }
    std::string name() const override { return "the CPU"; }
    Clock& clock() override { return clock_; }
    bool has(Precision) const override { return true; }
    double memory() const override { return static_cast<double>(info_.global_bytes); }
    double room() const override { return memory() - std::min(memory(), *bytes_); }
    double largest_array() const override { return memory(); }

    Array zeros(std::size_t count, Element element) override {
        return {count, element, std::make_shared<Memory>(count * element.bytes(), bytes_)};
    }

private:
    DeviceInfo info_;
    MachineModel pace_ = pace_of(info_);
    std::shared_ptr<double> bytes_ = std::make_shared<double>(0);
    Elapsed clock_;
};

} // namespace

std::unique_ptr<Device> make_processors(double memory) {
    return std::make_unique<Processors>(memory);
}

} // namespace lsrecon
