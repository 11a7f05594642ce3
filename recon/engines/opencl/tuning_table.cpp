// kernels/tuning.json: for every kernel and stage the space of a search, what bounds it, and the
// defaults of each family of devices.

#include "engines/opencl/tuning_table.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "device/opencl/program.hpp"

namespace lsrecon::opencl {

namespace {

using nlohmann::json;

constexpr const char* file_name = "tuning.json";

/// Reads from the file; any error in it becomes a DeviceError that names the file.
template <typename Read> auto from_table(Read&& read) {
    const std::string content = kernel_source(file_name);
    try {
        return std::forward<Read>(read)(json::parse(content));
    } catch (const json::exception& error) {
        throw DeviceError(text("kernel file ", file_name, ": ", error.what(),
                               "\n  next:     correct it (LSRECON_KERNELS), or report a bug"));
    }
}

/// The part of the first family that has one.
const json& of_family(const json& parts, const std::vector<std::string>& families,
                      std::string& found) {
    const auto first =
        std::find_if(families.begin(), families.end(),
                     [&](const std::string& family) { return parts.contains(family); });
    found = first == families.end() ? families.back() : *first;
    return parts.at(found);
}

std::vector<DeviceBound> read_bounds(const json& bounds) {
    std::vector<DeviceBound> result;
    for (const auto& [number, sum] : bounds.items()) {
        DeviceBound bound{number, {}};
        for (const json& product : sum) {
            bound.sum.emplace_back();
            for (const json& factor : product) {
                if (factor.is_string()) {
                    bound.sum.back().push_back({factor.get<std::string>(), 1});
                } else {
                    bound.sum.back().push_back({"", factor.get<int>()});
                }
            }
        }
        result.push_back(bound);
    }
    return result;
}

} // namespace

std::vector<std::string> families_of(const DeviceInfo& device) {
    if (device.type == "cpu") {
        return {"cpu", "gpu"};
    }
    std::string vendor = device.vendor;
    std::transform(vendor.begin(), vendor.end(), vendor.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& [part, family] :
         {std::pair("nvidia", "nvidia"), std::pair("amd", "amd"),
          std::pair("advanced micro devices", "amd"), std::pair("intel", "intel")}) {
        if (vendor.find(part) != std::string::npos) {
            std::vector<std::string> families{family, "gpu"};
            if (!device.compute_capability.empty()) {
                families.insert(families.begin(), text(family, " ", device.compute_capability));
            }
            return families;
        }
    }
    return {"gpu"};
}

DeviceNumbers numbers_of(const DeviceInfo& device) {
    return {{"work_group", static_cast<double>(device.max_work_group)},
            {"local_bytes", static_cast<double>(device.local_bytes)},
            {"constant_bytes", static_cast<double>(device.constant_bytes)}};
}

std::vector<Tunable> tuning_rows() {
    return from_table([](const json& table) {
        std::vector<Tunable> rows;
        for (const auto& [kernel, stages] : table.items()) {
            for (const auto& [stage, entry] : stages.items()) {
                rows.push_back({kernel, stage});
            }
        }
        return rows;
    });
}

bool find_tuning_entry(const DeviceInfo& device, const std::string& kernel,
                       const std::string& stage, TuningEntry& entry) {
    return from_table([&](const json& table) {
        if (!table.contains(kernel)) {
            return false;
        }
        const json& stages = table.at(kernel);
        const json& row = stages.contains(stage) ? stages.at(stage) : stages.at("fhd");
        const std::vector<std::string> families = families_of(device);
        std::string ignored;
        entry.space = of_family(row.at("space"), families, ignored).get<SearchSpace>();
        entry.bounds = read_bounds(of_family(row.at("bounds"), families, ignored));
        entry.defaults = of_family(row.at("defaults"), families, entry.family).get<Parameters>();
        return true;
    });
}

} // namespace lsrecon::opencl
