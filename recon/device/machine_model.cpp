// Reads and writes the measured factors of a machine, and estimates the rates of devices that were
// not measured.

#include "device/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/folders.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "base/parallel.hpp"
#include "device/devices.hpp"

namespace lsrecon {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceInfo, platform, name, type, vendor, version, driver,
                                   compute_capability, double_precision, global_bytes,
                                   max_allocation_bytes, constant_bytes, local_bytes,
                                   max_work_group, compute_units, clock_mhz)

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Refuses an entry of a machine's file that no machine has.
[[noreturn]] void refuse(const std::string& path, const std::string& name, const json& found,
                         const std::string& expected) {
    throw UsageError({"`machine` " + path, name,
                      found.dump(-1, ' ', true, json::error_handler_t::replace), expected,
                      "measure again where the device is: 'lsrecon devices' with `measure`"});
}

/// A number above 0, since whatever a machine does takes time, and no larger than any machine
/// needs.
double number_in(const std::string& path, const json& group, const std::string& name, double most) {
    const json& entry = group.at(name);
    const double value = entry.is_number() ? entry.get<double>() : 0;
    if (!(value > 0 && value <= most)) {
        refuse(path, name, entry, text("a number above 0, at most ", most));
    }
    return value;
}

DeviceInfo device_in(const std::string& path, const json& device) {
    constexpr double most_bytes = 1e18;
    constexpr double most_units = 1e6; // and MHz
    for (const auto& [name, most] :
         {std::pair("global_bytes", most_bytes), std::pair("max_allocation_bytes", most_bytes),
          std::pair("constant_bytes", most_bytes), std::pair("local_bytes", most_bytes),
          std::pair("max_work_group", most_bytes), std::pair("compute_units", most_units),
          std::pair("clock_mhz", most_units)}) {
        const double value = number_in(path, device, name, most);
        if (value != std::floor(value)) {
            refuse(path, name, device.at(name), "a whole number");
        }
    }
    auto info = device.get<DeviceInfo>();
    if (info.type != "gpu" && info.type != "accelerator" && info.type != "cpu" &&
        info.type != "other") {
        refuse(path, "type", info.type, "gpu, accelerator, cpu or other");
    }
    return info;
}

MachineModel machine_model_in(const std::string& path, const json& numbers, bool is_gpu) {
    constexpr double most_cores = 1e6;
    constexpr double most_spread = 1e3;
    constexpr double most_factor = 1e4;
    std::vector<double> factors;
    for (const MachineFactor& row : machine_factors()) {
        factors.push_back(number_in(path, numbers, row.name, most_factor));
    }
    const auto cores = static_cast<std::size_t>(number_in(path, numbers, "cores", most_cores));
    MachineModel result = measured_model(is_gpu, cores, factors);
    result.spread = number_in(path, numbers, "spread", most_spread);
    if (result.spread < 1) {
        refuse(path, "spread", numbers.at("spread"), "a number from 1");
    }
    return result;
}

std::string kept_path(const DeviceInfo& info) {
    const std::string hash = Sha256().add(info.platform + "\n" + info.name).hex();
    return cache_folder() + "/pace/" + hash.substr(0, 16) + ".json";
}

} // namespace

const std::vector<MachineFactor>& machine_factors() {
    static const std::vector<MachineFactor> rows{
        {"start", {&MachineModel::start, &MachineModel::making}},
        {"host",
         {&MachineModel::byte, &MachineModel::sample, &MachineModel::value, &MachineModel::written,
          &MachineModel::window, &MachineModel::map, &MachineModel::exact_sum}},
        {"sums", {&MachineModel::exact, &MachineModel::phases}},
        {"grids",
         {&MachineModel::spreading, &MachineModel::fine, &MachineModel::convolution,
          &MachineModel::product, &MachineModel::pass, &MachineModel::shrink,
          &MachineModel::shrinking}},
    };
    return rows;
}

MachineModel nominal_model(bool is_gpu, std::size_t cores) {
    // Fitted to runs on an NVIDIA H200, and by PoCL on two cores of an EPYC, 2026-11.
    MachineModel model;
    model.cores = static_cast<double>(cores);
    model.start = is_gpu ? 0.47 : 0.07;
    model.byte = is_gpu ? 5e-10 : 1.4e-9;
    model.making = is_gpu ? 5e-3 : 5e-4;
    model.sample = is_gpu ? 1.2e-8 : 9.5e-8;
    model.value = is_gpu ? 1e-9 : 1.2e-8;
    model.exact = is_gpu ? 1.4 : 0.58;
    model.phases = is_gpu ? 3 : 0.28;
    model.spreading = is_gpu ? 3.8 : 0.25;
    model.fine = is_gpu ? 1 : 0.125;
    model.convolution = is_gpu ? 1.9 : 0.6;
    model.product = is_gpu ? 4e-4 : 1e-5;
    model.pass = is_gpu ? 2.3e-10 : 8e-11;
    model.shrink = is_gpu ? 1e-4 : 1.5e-5;
    model.shrinking = is_gpu ? 1.7e-10 : 2.5e-9;
    model.window = is_gpu ? 2.6e-10 : 4e-10;
    model.map = is_gpu ? 1e-10 : 4e-9;
    model.exact_sum = is_gpu ? 2e-10 : 3.5e-10;
    model.written = is_gpu ? 4.5e-8 : 2.8e-8;
    return model;
}

MachineModel measured_model(bool is_gpu, std::size_t cores, const std::vector<double>& factors) {
    MachineModel model = nominal_model(is_gpu, cores);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        for (double MachineModel::*const member : machine_factors()[i].members) {
            model.*member *= factors[i];
        }
    }
    model.factors = factors;
    return model;
}

MachineModel machine_model_of(const DeviceInfo& info) {
    try {
        return read_machine(kept_path(info)).model;
    } catch (const UsageError&) {
        return nominal_model(info.type == "gpu", all_cores());
    }
}

Machine standard_machine(const DeviceInfo& info) {
    constexpr unsigned cores = 2;
    constexpr unsigned mhz = 2600;
    Machine machine{info, MachineModel()};
    machine.model.product = info.type == "gpu" ? 5e-4 : 2e-4;
    machine.model.cores = cores;
    if (info.type == "cpu") {
        machine.device.compute_units = cores;
        machine.device.clock_mhz = mhz;
    }
    return machine;
}

double busy_cores(double cores, double points) {
    constexpr double enough = 131072; // for a core, measured on 16
    return std::min(cores, std::max(2.0, points / enough));
}

double slowdown_of(Precision precision, bool in_host_memory) {
    const double of_doubles = in_host_memory ? 1.5 : 2;
    return precision == Precision::float64 ? of_doubles : 1;
}

void write_machine(const std::string& path, const Machine& machine) {
    json numbers{{"cores", machine.model.cores}, {"spread", machine.model.spread}};
    for (std::size_t i = 0; i < machine_factors().size(); ++i) {
        numbers[machine_factors()[i].name] =
            machine.model.factors.empty() ? 1 : machine.model.factors[i];
    }
    ReplacingFile file(path);
    std::ofstream stream(file.path());
    stream << json{{"device", machine.device}, {"pace", numbers}}.dump(2) << "\n";
    stream.close();
    if (!stream) {
        throw UsageError(text(path, ": cannot be written\n  next:     make room on its disk, or "
                                    "name another file"));
    }
    file.commit();
}

Machine read_machine(const std::string& path) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) { // a folder can be opened, and throws when it is read
        try {
            std::ifstream file(path);
            const json content = json::parse(file);
            const DeviceInfo device = device_in(path, content.at("device"));
            return {device, machine_model_in(path, content.at("pace"), device.type == "gpu")};
        } catch (const json::exception&) { // it holds something else
        }
    }
    throw UsageError(text("`machine` ", path,
                          " holds no machine\n  expected: a file that 'lsrecon devices' wrote with "
                          "`measure` where the device is"));
}

void keep(const Machine& machine) {
    const std::string path = kept_path(machine.device);
    std::error_code ignored; // what writes the file says what is wrong
    fs::create_directories(fs::path(path).parent_path(), ignored);
    write_machine(path, machine);
}

bool has_double_matrix_units(const DeviceInfo& info) {
    return info.compute_capability == "9.0";
}

DeviceRates nominal_rates(const DeviceInfo& info) {
    const bool is_gpu = info.type == "gpu";
    const double clocks = 1e6 * info.clock_mhz * std::max(1U, info.compute_units);
    // A unit multiplies and adds in 128 lanes a clock, a CPU's core in two vectors of 8; it takes
    // two sines and two cosines of the hardware's in an eighth of these lanes.
    const double lanes = is_gpu ? 128 : 16;
    const double multiply_adds = clocks * lanes;
    return {multiply_adds, multiply_adds / (is_gpu ? 16 : 32), multiply_adds / 40,
            has_double_matrix_units(info) ? multiply_adds : 0};
}

} // namespace lsrecon
