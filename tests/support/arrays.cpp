#include "support/arrays.hpp"

#include "base/error.hpp"
#include "device/devices.hpp"
#ifdef LSRECON_WITH_OPENCL
#include "device/opencl/opencl_device.hpp"
#include "support/surroundings.hpp"
#endif

namespace lsrecon::test {

void ArrayCase::open(const std::string& variant, double device_memory,
                     const std::vector<Engine>& table) {
    opened = nullptr; // what is open still counts in the memory of a device
    ComputeOptions options;
    options.backend = backend;
    if (!is_reference(backend)) { // which has no such choice
        options.kernel = variant;
        options.precision = precision;
        options.device_memory = device_memory;
    }
    options.on_info = [notes = notes](const std::string& note) { notes->push_back(note); };
    try {
#ifdef LSRECON_WITH_OPENCL
        if (backend == "kernels") {
            auto queue = std::make_unique<opencl::Queue>("");
            if (queue->info().type == "cpu") { // else they are the device's own
                options.precision = precision;
                opened = std::make_unique<Transforms>(opencl::make_opencl_device(std::move(queue)),
                                                      options);
            }
            return;
        }
#endif
        opened = open_transforms(options, table);
    } catch (const DeviceError&) {
        opened = nullptr;
    }
}

void PrintTo(const ArrayCase& of, std::ostream* stream) {
    *stream << of.backend << " in " << 8 * bytes_of(of.precision) << " bits";
}

std::vector<ArrayCase> array_cases() {
    std::vector<ArrayCase> cases;
    for (const DeviceKind& row : device_kinds()) {
        if (!row.built) {
            continue;
        }
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            if (is_reference(row.name) && precision == Precision::float32) {
                continue; // the arrays of the reference are in doubles
            }
            cases.push_back({row.name, precision});
        }
    }
    return cases;
}

std::vector<ArrayCase> verb_cases() {
    std::vector<ArrayCase> cases = array_cases();
#ifdef LSRECON_WITH_OPENCL
    cases.push_back({"kernels", Precision::float32});
    if (slow_cases()) {
        cases.push_back({"kernels", Precision::float64});
    }
#endif
    return cases;
}

std::vector<std::string> variants(const ArrayCase& on) {
    return is_reference(on.backend) ? std::vector<std::string>{""} : kernel_names(on.backend);
}

Array uploaded(const ArrayCase& on, const ComplexVector& values) {
    Array array = on.device().zeros(static_cast<std::size_t>(values.size()), {true, on.precision});
    on.device().upload(values, array);
    return array;
}

} // namespace lsrecon::test
