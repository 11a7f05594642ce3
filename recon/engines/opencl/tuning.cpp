// The choice of a kernel's parameters on a device: kernels/tuning.json, which has for every kernel
// and stage the space of a search, what bounds it, and the defaults of each family of devices; and
// the file of winners that `lsrecon tune` keeps.

#include "engines/tuning.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/bytes_as_text.hpp"
#include "base/error.hpp"
#include "base/folders.hpp"
#include "base/output_file.hpp"
#include "device/opencl/program.hpp"

namespace lsrecon {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* file_name = "tuning.json";

/// Reads from the file; any error in it becomes a DeviceError that names the file.
template <typename Read> auto from_table(Read&& read) {
    const std::string content = opencl::kernel_source(file_name);
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

/// Reads sums of products, whose factors are names of parameters or whole numbers.
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

/// The families whose rows of the table the device takes, the nearest first: "nvidia 9.0" (compute
/// capability), "nvidia", "gpu"; "amd", "intel" or "cpu" and "gpu".
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

/// The numbers that bound parameters.
DeviceNumbers numbers_of(const DeviceInfo& device) {
    return {{"work_group", static_cast<double>(device.max_work_group)},
            {"local_bytes", static_cast<double>(device.local_bytes)},
            {"constant_bytes", static_cast<double>(device.constant_bytes)}};
}

constexpr const char* winners_end = ".json";

/// The key of a winner: it serves exactly the device, kernel and stage that it was found for.
json key_of(const DeviceInfo& device, const std::string& kernel, const std::string& stage) {
    return {{"platform", device.platform},
            {"device", device.name},
            {"driver", device.driver},
            {"kernel", kernel},
            {"kernel_sha256", kernel_hash(kernel)},
            {"stage", stage}};
}

/// An array; empty when the file is missing, broken or something else.
json read_winners(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) { // a folder can be opened, and throws when it is read
        return json::array();
    }
    std::ifstream file(path);
    const json content = json::parse(file, nullptr, false);
    return content.is_array() ? content : json::array();
}

/// Chooses the stored winner, if there is one that this device allows.
void find_winner(const DeviceInfo& device, const std::string& kernel, const std::string& stage,
                 const TuningEntry& entry, ChosenParameters& chosen) {
    const json winners = read_winners(tuning_path(device) + winners_end);
    if (winners.empty()) {
        return; // the key takes a hash of the kernel
    }
    const json key = key_of(device, kernel, stage);
    for (const json& winner : winners) {
        try {
            const auto values = winner.at("parameters").get<Parameters>();
            if (winner.at("key") == key && values.size() == entry.defaults.size() &&
                fits(values, entry.bounds, numbers_of(device))) {
                chosen = {values, "tuned on this device",
                          winner.at("pairs_per_second").get<double>()};
                return;
            }
        } catch (const json::exception&) { // something else
        }
    }
}

/// Takes the default, the stored winner in its place if `tuned`, and what is given in place of
/// either. A rate belongs to a winner as it was timed, so that given values drop it.
ChosenParameters chosen(const DeviceInfo& device, const std::string& kernel,
                        const std::string& stage, const Parameters& given, bool tuned) {
    TuningEntry entry;
    const bool tunable = find_tuning_entry(device, kernel, stage, entry);
    ChosenParameters chosen{entry.defaults, tunable ? "default for " + entry.family : ""};
    if (tunable && tuned) {
        find_winner(device, kernel, stage, entry, chosen);
    }
    for (const auto& [name, value] : given) {
        if (chosen.values.count(name) == 0) {
            throw UsageError(text("kernel ", kernel, " has no parameter ", name,
                                  "\n  expected: some of ", to_text(chosen.values)));
        }
        chosen.values[name] = value;
        chosen.origin = "given";
        chosen.pairs_per_second = 0;
    }
    return chosen;
}

} // namespace

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

std::vector<Tunable> tunables() {
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

ChosenParameters choose_parameters(const DeviceInfo& device, const std::string& kernel,
                                   const std::string& stage, const Parameters& given) {
    return chosen(device, kernel, stage, given, true);
}

ChosenParameters shipped_parameters(const DeviceInfo& device, const std::string& kernel,
                                    const std::string& stage, const Parameters& given) {
    return chosen(device, kernel, stage, given, false);
}

Candidates tuning_candidates(const DeviceInfo& device, const std::string& kernel,
                             const std::string& stage) {
    TuningEntry entry;
    if (!find_tuning_entry(device, kernel, stage, entry)) {
        throw UsageError(text("kernel ", kernel, " has no parameters to search"));
    }
    return candidates_of(entry.space, entry.defaults, entry.bounds, numbers_of(device));
}

void store_winner(const DeviceInfo& device, const std::string& kernel, const std::string& stage,
                  const Winner& winner) {
    const std::string path = tuning_path(device) + winners_end;
    const json key = key_of(device, kernel, stage);
    std::error_code ignored; // what writes the file says what is wrong
    fs::create_directories(fs::path(path).parent_path(), ignored);
    const FileLock lock(tuning_path(device) + ".lock"); // of other searches, until it is written
    json kept = json::array();
    for (const json& other : read_winners(path)) {
        if (other.is_object() && other.contains("key") && other["key"] != key) {
            kept.push_back(other);
        }
    }
    kept.push_back({{"key", key},
                    {"parameters", winner.parameters},
                    {"pairs_per_second", winner.pairs_per_second},
                    {"made_with", winner.made_with}});
    ReplacingFile file(path);
    std::ofstream stream(file.path());
    stream << kept.dump(2) << "\n";
    stream.close();
    if (!stream) {
        throw UsageError(text(path, ": cannot be written\n  next:     make room on its disk, or "
                                    "set LSRECON_CACHE to another folder"));
    }
    file.commit();
}

std::string kernel_hash(const std::string& kernel) {
    const std::vector<std::string> files = opencl::files_of_kernel(kernel);
    Sha256 hash;
    for (const std::string& file : files) {
        hash.add(opencl::kernel_source(file));
    }
    return files.empty() ? "" : hash.hex();
}

std::string tuning_path(const DeviceInfo& device) {
    std::string name;
    for (const char c : device.name) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (plain || (!name.empty() && name.back() != '-')) {
            name += plain ? c : '-';
        }
    }
    const std::string hash = Sha256().add(device.platform + "\n" + device.name).hex();
    return cache_folder() + "/tuning/" + name.substr(0, 40) + "-" + hash.substr(0, 8);
}

} // namespace lsrecon
