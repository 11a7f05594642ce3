// predict: prints the time and memory of reconstructions, without running them.

#include <cmath>
#include <filesystem>

#include "app/json.hpp"
#include "app/output.hpp"
#include "app/recon.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "device/host_device.hpp"
#include "model/stack_slice.hpp"
#include "plan/settle.hpp"

namespace lsrecon::app {

namespace {

/// Largest number of tasks that Slurm takes in an array (MaxArraySize).
constexpr double most_tasks = 4000001;

struct PredictFlags {
    std::vector<std::string> scans; ///< or lists of them
    ReconOptions recon; ///< options of every scan
    std::string machine;
    std::size_t tasks = 0; ///< number of tasks of an array job; 0 for none
    bool json = false;
};

OptionTable options_of_predict(PredictFlags& options) {
    return joined({in("Scans", {scans_option(options.scans)}), shared_options(options.recon),
                   in("Prediction",
                      {{"machine", name(options.machine), "file that describes another machine",
                        Default{"this machine"},
                        More{"`lsrecon devices --measure -o FILE` writes it where the device is."}},
                       {"sbatch", number(options.tasks, whole(1, most_tasks), "TASKS"),
                        "print options of sbatch for so many tasks", Default{"none"},
                        More{"A task takes its share of the scans by `lsrecon batch`. `--time` is "
                             "the longest task at the end of its interval, and half as much, and a "
                             "minute. `--mem` is the largest scan, and half as much, and a GiB."}},
                       {"json", toggle(options.json), "print the prediction as JSON"}})});
}

constexpr double mib = 1024 * 1024;

std::string memory_of(const Plan& plan) {
    const std::string on_host = formatted("%.0f MiB of the host", plan.host_bytes / mib);
    return plan.device_bytes > 0
               ? formatted("%.0f MiB of the device, ", plan.device_bytes / mib) + on_host
               : on_host;
}

std::string seconds_of(double seconds, double spread) {
    return formatted("%9.3f s  %9.3f to %.3f s", seconds, seconds / spread, seconds * spread);
}

void print(const PredictedOn& on) {
    const Plan& plan = on.plan;
    std::string description;
    if (const TrajectoryPlan& first = plan.trajectories.front(); !first.engine.empty()) {
        description =
            text(", engine ", first.engine, ", error of F^H d at most ", rounded(first.error));
    }
    if (plan.iterations > 0) {
        description += text(", ", plan.iterations, " iterations at most");
    }
    print_line("on %s%s", on.device.name.c_str(), description.c_str());
    if (!plan.assumed.empty()) {
        print_line("assumed    %s", plan.assumed.c_str());
    }
    for (const auto& [stage, seconds] : plan.stages) {
        print_line("%-10s %s", stage.c_str(), seconds_of(seconds, plan.spread).c_str());
    }
    print_line("%-10s %s", "all", seconds_of(plan.seconds(), plan.spread).c_str());
    print_line("memory     %s", memory_of(plan).c_str());
}

nlohmann::json to_json(const PredictedOn& on) {
    const Plan& plan = on.plan;
    const std::map<std::string, double> stages(plan.stages.begin(), plan.stages.end());
    const TrajectoryPlan& first = plan.trajectories.front();
    return {{"device", on.device.name},
            {"engine", first.engine},
            {"engine_error", first.error},
            {"products", first.route == Route::q ? "Q" : "F and F^H"},
            {"iterations", plan.iterations},
            {"assumed", plan.assumed},
            {"stages", stages},
            {"seconds", plan.seconds()},
            {"spread", plan.spread},
            {"device_bytes", plan.device_bytes},
            {"host_bytes", plan.host_bytes}};
}

/// The devices here, or one that is described.
class Devices {
public:
    Devices(const std::string& machine, Reporter& report) : report_(report) {
        if (!machine.empty()) {
            described_ = make_described_device(read_machine(machine));
        }
    }
    bool are_here() const { return described_ == nullptr; }
    PredictedOn predicted(const ReconOptions& options, const KnownScan& scan) {
        const auto transforms = are_here() ? devices_.open(options.compute, "", report_, report_)
                                           : open_transforms(options.compute, report_, described_);
        return predict_on(*transforms, options, scan);
    }

private:
    Reporter& report_;
    std::shared_ptr<Device> described_;
    OpenDevices devices_;
};

/// The others: every engine on every device that was not ruled out. The reference has none.
std::vector<PredictedOn> others(const ReconOptions& options, Devices& on, const PredictedOn& first,
                                const KnownScan& known) {
    std::vector<PredictedOn> all;
    const ComputeOptions& compute = options.compute;
    if (is_reference(compute.backend)) {
        return all;
    }
    std::vector<ComputeOptions> devices{compute};
    if (on.are_here() && compute.device.empty() && compute.backend != "host") {
        devices.clear();
        for (const DeviceInfo& device : list_devices()) {
            devices.push_back(compute);
            devices.back().device = text(device.index);
        }
        if (compute.backend == backend_by_machine) {
            devices.push_back(compute);
            devices.back().backend = "host";
        }
    }
    for (const ComputeOptions& device : devices) {
        for (const std::string& engine : list_rival_engines()) {
            ReconOptions one = options;
            one.compute = device;
            one.compute.engine = compute.kernel.empty() ? engine : compute.engine;
            try {
                PredictedOn other = on.predicted(one, known);
                if (other.device.index != first.device.index ||
                    other.device.name != first.device.name ||
                    other.plan.trajectories.front().engine !=
                        first.plan.trajectories.front().engine) {
                    all.push_back(std::move(other));
                }
            } catch (const DeviceError&) { // it cannot serve
            }
        }
    }
    return all;
}

/// The prediction for one scan of several.
struct Listed {
    std::string scan;
    PredictedOn on;
};

/// The predictions, except for scans that cannot be read: those are reported, as `lsrecon batch`
/// goes on without them.
std::vector<Listed> predict_each(const ReconOptions& options, const std::vector<ListedScan>& scans,
                                 Devices& on, Reporter& report) {
    std::vector<Listed> all;
    for (const ListedScan& listed : scans) {
        ReconOptions one = options_for(listed, options);
        try {
            settle_and_check_files(one);
            all.push_back({listed.scan, on.predicted(one, known_scan(one))});
        } catch (const InputError& error) {
            report.add({Found::scan_unreadable, {}, {{"error", error.what()}}});
        }
    }
    return all;
}

/// The most that any of them takes.
Plan largest_of(const std::vector<Listed>& all) {
    Plan largest;
    for (const Listed& one : all) {
        const Plan& plan = one.on.plan;
        largest.device_bytes = std::max(largest.device_bytes, plan.device_bytes);
        largest.host_bytes = std::max(largest.host_bytes, plan.host_bytes);
    }
    return largest;
}

/// A process starts once for all its scans.
double seconds_of_share(const std::vector<Listed>& all, std::size_t first, std::size_t step) {
    double start = 0;
    double seconds = 0;
    for (std::size_t i = first; i < all.size(); i += step) {
        const Plan& plan = all[i].on.plan;
        const double of_start = plan.seconds_of("start");
        start = std::max(start, of_start);
        seconds += plan.seconds() - of_start;
    }
    return start + seconds;
}

void print_sbatch(const std::vector<Listed>& all, std::size_t tasks) {
    constexpr double more = 1.5;
    constexpr double minute = 60;
    constexpr double gib = 1024 * mib;
    double seconds = 0;
    for (std::size_t task = 0; task < std::min(tasks, all.size()); ++task) { // others have none
        seconds = std::max(seconds, seconds_of_share(all, task, tasks));
    }
    const bool on_gpu = std::any_of(all.begin(), all.end(),
                                    [](const Listed& one) { return one.on.device.type == "gpu"; });
    const double spread = all.front().on.plan.spread;
    const double minutes = std::ceil(more * spread * seconds / minute) + 1;
    const double memory = std::ceil(more * largest_of(all).host_bytes / gib) + 1;
    print_line("--array=0-%zu --time=%.0f --mem=%.0fG%s", tasks - 1, minutes, memory,
               on_gpu ? " --gres=gpu:1" : "");
}

void print(const std::vector<Listed>& all) {
    for (const Listed& one : all) {
        const Plan& plan = one.on.plan;
        print_line("%s  %s", seconds_of(plan.seconds(), plan.spread).c_str(), one.scan.c_str());
    }
    print_line("%s  all by one process",
               seconds_of(seconds_of_share(all, 0, 1), all.front().on.plan.spread).c_str());
    print_line("memory     %s", memory_of(largest_of(all)).c_str());
}

void put_json(const std::vector<Listed>& all, const Reporter& report) {
    nlohmann::json json = json_of_kind("predictions");
    json["seconds"] = seconds_of_share(all, 0, 1);
    json["warnings"] = warnings_as_json(report.findings());
    for (const Listed& one : all) {
        json["scans"].push_back(to_json(one.on));
        json["scans"].back()["scan"] = one.scan;
    }
    put_page(page_of(json));
}

void predict_one(const PredictFlags& options, const ListedScan& listed, Devices& on,
                 const Reporter& report) {
    ReconOptions one = options_for(listed, options.recon);
    settle_and_check_files(one);
    const KnownScan known = known_scan(one);
    const PredictedOn first = on.predicted(one, known);
    const std::vector<PredictedOn> rest = others(one, on, first, known);
    if (options.json) {
        nlohmann::json json = json_of_kind("prediction");
        json.update(to_json(first));
        json["warnings"] = warnings_as_json(report.findings());
        json["others"] = nlohmann::json::array();
        for (const PredictedOn& other : rest) {
            json["others"].push_back(to_json(other));
        }
        put_page(page_of(json));
        return;
    }
    print(first);
    for (const PredictedOn& other : rest) {
        const Plan& plan = other.plan;
        print_line("else       %s  %s on %s, %s", seconds_of(plan.seconds(), plan.spread).c_str(),
                   plan.trajectories.front().engine.c_str(), other.device.name.c_str(),
                   memory_of(plan).c_str());
    }
}

ExitCode run_predict(PredictFlags& options) {
    Console console(true);
    Devices on(options.machine, console);
    const std::vector<ListedScan> scans = listed_scans(options.scans);
    if (scans.size() == 1 && options.tasks == 0) {
        predict_one(options, scans.front(), on, console);
        return ExitCode::done;
    }
    const std::vector<Listed> all = predict_each(options.recon, scans, on, console);
    const ExitCode code = all.size() == scans.size() ? ExitCode::done : ExitCode::input;
    if (all.empty()) {
        return code;
    }
    if (options.tasks > 0) {
        print_sbatch(all, options.tasks);
    } else if (options.json) {
        put_json(all, console);
    } else {
        print(all);
    }
    return code;
}

} // namespace

KnownScan known_scan(ReconOptions& options) {
    FileOptions& file_options = options.reconstruct;
    const OpenScan opened =
        open_scan(options.scan, reading_for(file_options.prepare, file_options.read));
    if (opened.shape && !file_options.prepare.stack_slice) {
        require_room(*opened.shape);
    }
    KnownScan known{opened.load(), {}, nullptr, 0};
    Scan& scan = known.stored.scan;
    if (const auto& slice = file_options.prepare.stack_slice) {
        StackSlice(*slice, scan);
    }
    known.grid = file_options.prepare.geometry.grid_of_image(scan.grid);
    known.field = field_of(file_options.prepare, scan);
    known.bytes = static_cast<double>(std::filesystem::file_size(options.scan));
    return known;
}

PredictedOn predict_on(Transforms& transforms, const ReconOptions& options, const KnownScan& scan) {
    return {transforms.device().info(), plan_of(transforms, options.reconstruct, scan.stored.scan,
                                                scan.grid, scan.field, scan.bytes)};
}

Bound bind_predict() {
    return bound(&options_of_predict, &run_predict);
}

} // namespace lsrecon::app
