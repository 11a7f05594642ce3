// The device's limits, measured by kernels that do one thing each.

#include <algorithm>
#include <array>
#include <deque>
#include <limits>

#include "device/devices.hpp"
#include "device/opencl/drivers.hpp"
#include "device/opencl/queue.hpp"

namespace lsrecon {

namespace opencl {

namespace {

/// A kernel of kernels/limits.cl and the rate that it measures.
struct Probe {
    const char* kernel;
    double DeviceRates::*rate;
    double per_round; ///< operations of one work-item and vector element
};
constexpr std::array<Probe, 3> probes{{{"multiply_adds", &DeviceRates::multiply_adds, 80},
                                       {"native_pairs", &DeviceRates::native_pairs, 4},
                                       {"library_pairs", &DeviceRates::library_pairs, 4}}};
constexpr Probe matrix_probe{"matrix_multiply_adds", &DeviceRates::matrix_multiply_adds, 512};

/// Seconds of a launch: long enough that starting it does not count. On a CPU also short enough
/// that some launch gets all cores although other processes want them.
double long_enough(const DeviceInfo& info) {
    return info.type == "cpu" ? 0.005 : 0.02;
}
constexpr int launches = 5; ///< the fastest counts, since a limit is never exceeded

/// Enough to fill every compute unit several times over.
std::size_t work_items(const DeviceInfo& info) {
    return info.compute_units * std::size_t(info.type == "cpu" ? 64 : 8192);
}

/// A probe with vectors of that many floats.
class ProbeOfWidth {
public:
    ProbeOfWidth(Queue& queue, const Probe& probe, std::size_t width,
                 const std::string& more_options = "")
        : queue_(queue), probe_(probe), width_(width), items_(work_items(queue.info())),
          out_(queue.buffer(items_ * width * sizeof(float))),
          kernel_(queue.kernel("limits.cl", probe.kernel, text("-DWIDTH=", width, more_options))) {
        while (fastest_of(2) < long_enough(queue_.info()) && rounds_ < (1 << 28)) {
            rounds_ *= 2;
        }
    }

    double DeviceRates::*rate() const { return probe_.rate; }
    /// Operations a second.
    double measure() {
        return probe_.per_round * rounds_ * static_cast<double>(items_ * width_) /
               fastest_of(launches);
    }

private:
    /// Returns the seconds of the fastest of so many launches; the others shared the device, or
    /// started slowly.
    double fastest_of(int count) {
        Queue::set_arguments(kernel_, rounds_, 0.5F, 0.25F, out_);
        double fastest = std::numeric_limits<double>::infinity();
        for (int launch = 0; launch < count; ++launch) {
            queue_.restart();
            queue_.launch(kernel_, items_);
            queue_.finish();
            fastest = std::min(fastest, queue_.seconds());
        }
        return fastest;
    }

    Queue& queue_;
    const Probe& probe_;
    std::size_t width_;
    std::size_t items_;
    cl::Buffer out_;
    cl::Kernel kernel_;
    cl_int rounds_ = 16;
};

class OpenclRateMeter : public RateMeter {
public:
    /// Prepares each probe with one float a work-item and, on devices with wider vectors, with
    /// those: the faster one is the limit.
    explicit OpenclRateMeter(const std::string& wanted) : queue_(wanted) {
        const auto device = queue_.context().getInfo<CL_CONTEXT_DEVICES>().front();
        const std::size_t native = device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
        for (const Probe& probe : probes) {
            probes_.emplace_back(queue_, probe, 1);
            if (native > 1) {
                probes_.emplace_back(queue_, probe, std::min<std::size_t>(native, 16));
            }
        }
        if (has_double_matrix_units(queue_.info())) {
            probes_.emplace_back(queue_, matrix_probe, 1, " -DMATRIX_UNITS");
        }
    }

    DeviceRates measure() override {
        return guarded("measuring the device's limits", [&] {
            for (ProbeOfWidth& probe : probes_) {
                double& largest = rates_.*probe.rate();
                largest = std::max(largest, probe.measure());
            }
            return rates_;
        });
    }

private:
    Queue queue_;
    std::deque<ProbeOfWidth> probes_;
    DeviceRates rates_;
};

} // namespace
} // namespace opencl

std::unique_ptr<RateMeter> make_rate_meter(const std::string& wanted) {
    return opencl::guarded("measuring the device's limits",
                           [&] { return std::make_unique<opencl::OpenclRateMeter>(wanted); });
}

} // namespace lsrecon
