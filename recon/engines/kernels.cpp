// Finds the parameters of each kernel, those of the first rank for all ranks, and notes what ran
// for the record.

#include "engines/kernels.hpp"

#include <algorithm>

#include "base/packed.hpp"

namespace lsrecon {

namespace {

/// The standard machine by the device of the first rank: another rank may have only a part of its
/// GPU.
Machine standard_machine_of_first(const DeviceInfo& info, JobRanks& ranks) {
    Machine machine = standard_machine(info);
    for (unsigned* const number : {&machine.device.compute_units, &machine.device.clock_mhz}) {
        ranks.broadcast(0, number, sizeof *number);
    }
    return machine;
}

const Variant& variant_of(const ComputeOptions& options, const Device& device,
                          const std::vector<Engine>& table) {
    const std::string name = kernel_of(options, device.kind(), table);
    return variant_named(name, table);
}

} // namespace

Kernels::Kernels(std::shared_ptr<Device> on, const ComputeOptions& options,
                 std::vector<Engine> engines, JobRanks& ranks)
    : device(std::move(on)), standard_machine(standard_machine_of_first(device->info(), ranks)),
      machine{device->info(), device->machine_model()}, table(std::move(engines)),
      variant(variant_of(options, *device, table)), engine(engine_of(variant.name, table)),
      of_user_(options.parameters) {
    take_parameters_of_first(ranks);
}

std::string Kernels::names() const {
    std::string names;
    for (const Variant* const one : served_) {
        names += (names.empty() ? "" : " and ") + one->name;
    }
    return names.empty() ? variant.name : names;
}

std::string Kernels::parameters() const {
    std::string words = segments;
    for (const std::string& variant_and_stage : ran_) {
        if (const ChosenParameters& chosen = parameters_.at(variant_and_stage);
            !chosen.values.empty()) {
            words += (words.empty() ? "" : "; ") + variant_and_stage + ": " + chosen.text();
        }
    }
    return words;
}

void Kernels::add_served(const Variant& one) {
    if (std::find(served_.begin(), served_.end(), &one) == served_.end()) {
        served_.push_back(&one);
    }
}

/// Kernels may be tuned on the node of one rank and not on that of another, and then add in another
/// order.
void Kernels::take_parameters_of_first(JobRanks& ranks) {
    if (ranks.count() == 1 || device->kind() != "opencl") {
        return;
    }
    for (const Tunable& row : tunables()) {
        std::string message = packed(choose_parameters(device->info(), row.kernel, row.stage));
        ranks.broadcast(0, message);
        of_first_[row.kernel + " " + row.stage] = unpacked<ChosenParameters>(message);
    }
}

/// The user's are those of the variant that was asked for.
Parameters Kernels::given(const std::string& name) const {
    return name == variant.name ? of_user_ : Parameters{};
}

const ChosenParameters& Kernels::parameters_of(const std::string& name, const std::string& stage) {
    const std::string key = name + " " + stage;
    if (device->kind() != "opencl") {
        return parameters_[key];
    }
    if (parameters_.count(key) == 0) {
        Parameters of_user = given(name);
        const auto first = of_first_.find(key);
        if (first != of_first_.end() && of_user.empty()) {
            return parameters_[key] = first->second;
        }
        if (first != of_first_.end()) {
            of_user.insert(first->second.values.begin(), first->second.values.end());
        }
        parameters_[key] = choose_parameters(device->info(), name, stage, of_user);
    }
    return parameters_[key];
}

const ChosenParameters& Kernels::recorded_parameters(const std::string& name,
                                                     const std::string& stage) {
    ran_.insert(name + " " + stage);
    return parameters_of(name, stage);
}

const ChosenParameters& Kernels::shipped_parameters_of(const std::string& name,
                                                       const std::string& stage) {
    const std::string key = name + " " + stage;
    if (shipped_.count(key) == 0 && device->kind() == "opencl") {
        shipped_[key] = shipped_parameters(device->info(), name, stage, given(name));
    }
    return shipped_[key];
}

} // namespace lsrecon
