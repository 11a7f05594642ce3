// The device's limits, measured by kernels that do one thing each.

#include <algorithm>
#include <array>

#include "backend/devices.hpp"
#include "backend/opencl/device.hpp"
#include "backend/opencl/queue.hpp"

namespace lsrecon {

namespace opencl {

namespace {

/// A kernel of kernels/limits.cl and the rate that it measures.
struct Probe {
    const char* kernel;
    double DeviceRates::*rate;
    double per_turn; ///< operations of one work-item and vector element
};
constexpr std::array<Probe, 3> probes{{{"multiply_adds", &DeviceRates::multiply_adds, 80},
                                       {"native_pairs", &DeviceRates::native_pairs, 4},
                                       {"library_pairs", &DeviceRates::library_pairs, 4}}};
constexpr Probe matrix_probe{"matrix_multiply_adds", &DeviceRates::matrix_multiply_adds, 512};

constexpr double long_enough = 0.02; ///< seconds of a launch, beside which its start is small
constexpr int launches = 5; ///< the fastest counts: a limit is what is never exceeded

/// Enough to fill every compute unit several times over.
std::size_t work_items(const DeviceInfo& info) {
    return info.compute_units * std::size_t(info.type == "cpu" ? 64 : 8192);
}

double seconds_of(Queue& queue, cl::Kernel& kernel, cl_int turns, std::size_t items) {
    kernel.setArg(0, turns);
    queue.reset_clock();
    queue.launch(kernel, items);
    queue.finish();
    return queue.compute_seconds();
}

/// Operations a second with vectors of that many floats.
double rate_of(Queue& queue, const Probe& probe, std::size_t width,
               const std::string& more_options = "") {
    const std::size_t items = work_items(queue.info());
    const cl::Buffer out = queue.buffer(items * width * sizeof(float));
    cl::Kernel kernel =
        queue.kernel("limits.cl", probe.kernel, text("-DWIDTH=", width, more_options));
    kernel.setArg(1, 0.5F);
    kernel.setArg(2, 0.25F);
    kernel.setArg(3, out);
    cl_int turns = 16;
    while (seconds_of(queue, kernel, turns, items) < long_enough && turns < (1 << 28)) {
        turns *= 2;
    }
    double fastest = seconds_of(queue, kernel, turns, items);
    for (int launch = 1; launch < launches; ++launch) {
        fastest = std::min(fastest, seconds_of(queue, kernel, turns, items));
    }
    return probe.per_turn * turns * static_cast<double>(items * width) / fastest;
}

DeviceRates rates_of(Queue& queue) {
    const auto device = queue.context().getInfo<CL_CONTEXT_DEVICES>().front();
    std::vector<std::size_t> widths{1};
    if (const std::size_t native = device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
        native > 1) {
        widths.push_back(std::min<std::size_t>(native, 16));
    }
    DeviceRates rates;
    for (const Probe& probe : probes) {
        for (const std::size_t width : widths) {
            rates.*probe.rate = std::max(rates.*probe.rate, rate_of(queue, probe, width));
        }
    }
    if (has_double_matrix_units(queue.info())) {
        rates.*matrix_probe.rate = rate_of(queue, matrix_probe, 1, " -DMATRIX_UNITS");
    }
    return rates;
}

} // namespace
} // namespace opencl

DeviceRates measure_rates(const std::string& wanted) {
    return opencl::guarded("measuring the device's limits", [&] {
        opencl::Queue queue(wanted);
        return opencl::rates_of(queue);
    });
}

} // namespace lsrecon
