#include <filesystem>

#include <nlohmann/json.hpp>

#include "app/output.hpp"
#include "app/predict.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "device/described_device.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    ReconOptions recon;
    std::string machine;
    bool json = false;
};

OptionTable options_of(Options& options) {
    return joined(
        {computing_options(options.recon),
         in("Prediction",
            {{"machine", name(options.machine), "file that describes another machine",
              "this machine", "`lsrecon devices --measure -o FILE` writes it where the device is."},
             {"json", toggle(options.json), "print the prediction as JSON"}})});
}

constexpr double mib = 1024 * 1024;

std::string memory_of(const Prediction& prediction) {
    const std::string on_host = formatted("%.0f MiB of the host", prediction.host_bytes / mib);
    return prediction.device_bytes > 0
               ? formatted("%.0f MiB of the device, ", prediction.device_bytes / mib) + on_host
               : on_host;
}

std::string seconds_of(double seconds, double spread) {
    return formatted("%9.3f s  %9.3f to %.3f s", seconds, seconds / spread, seconds * spread);
}

void print(const PredictedOn& on) {
    const Prediction& prediction = on.prediction;
    print_line("on %s, engine %s, error of F^H d at most %s, %d iterations at most",
               on.device.name.c_str(), prediction.engine.c_str(),
               rounded(prediction.engine_error).c_str(), prediction.iterations);
    for (const auto& [stage, seconds] : prediction.stages) {
        print_line("%-10s %s", stage.c_str(), seconds_of(seconds, prediction.spread).c_str());
    }
    print_line("%-10s %s", "all", seconds_of(prediction.seconds(), prediction.spread).c_str());
    print_line("memory     %s", memory_of(prediction).c_str());
}

nlohmann::json to_json(const PredictedOn& on) {
    const Prediction& prediction = on.prediction;
    const std::map<std::string, double> stages(prediction.stages.begin(), prediction.stages.end());
    return {{"device", on.device.name},
            {"engine", prediction.engine},
            {"engine_error", prediction.engine_error},
            {"iterations", prediction.iterations},
            {"stages", stages},
            {"seconds", prediction.seconds()},
            {"spread", prediction.spread},
            {"device_bytes", prediction.device_bytes},
            {"host_bytes", prediction.host_bytes}};
}

/// The others: every engine on every device that was not ruled out.
std::vector<PredictedOn> others(const Options& options, const Machine* machine,
                                const PredictedOn& first, const KnownScan& known,
                                Reporter& report) {
    std::vector<PredictedOn> all;
    const ComputeOptions& compute = options.recon.compute;
    std::vector<std::string> devices{compute.device};
    if (machine == nullptr && compute.device.empty() && compute.backend == "opencl") {
        devices.clear();
        for (const DeviceInfo& device : list_devices()) {
            devices.push_back(text(device.index));
        }
    }
    for (const std::string& device : devices) {
        for (const std::string engine : {"exact", "nufft"}) {
            ReconOptions one = options.recon;
            one.compute.device = device;
            one.compute.engine = compute.kernel.empty() ? engine : compute.engine;
            try {
                PredictedOn other = predict_on(machine, one, known, report);
                if (other.device.index != first.device.index ||
                    other.prediction.engine != first.prediction.engine) {
                    all.push_back(std::move(other));
                }
            } catch (const DeviceError&) { // it cannot serve
            }
        }
    }
    return all;
}

ExitCode run(Options& options) {
    settle(options.recon);
    Console console(true);
    std::optional<Machine> described;
    if (!options.machine.empty()) {
        described = read_machine(options.machine);
    }
    const Machine* const machine = described ? &*described : nullptr;
    const KnownScan known = known_scan(options.recon);
    const PredictedOn first = predict_on(machine, options.recon, known, console);
    const std::vector<PredictedOn> rest = others(options, machine, first, known, console);
    if (options.json) {
        nlohmann::json json = to_json(first);
        for (const PredictedOn& other : rest) {
            json["others"].push_back(to_json(other));
        }
        put_page(page_of(json));
        return ExitCode::done;
    }
    print(first);
    for (const PredictedOn& other : rest) {
        const Prediction& prediction = other.prediction;
        print_line("else       %s  %s on %s, %s",
                   seconds_of(prediction.seconds(), prediction.spread).c_str(),
                   prediction.engine.c_str(), other.device.name.c_str(),
                   memory_of(prediction).c_str());
    }
    return ExitCode::done;
}

} // namespace

KnownScan known_scan(ReconOptions& options) {
    FileOptions& how = options.reconstruct;
    ReadOptions read = how.read;
    how.prepare.geometry.regularised = !how.solve.regularisers.empty();
    tell(how.prepare, read);
    KnownScan known{open_scan(options.scan, read), {}, nullptr, 0};
    const Scan& scan = known.file.stored.scan;
    known.grid = read.grid_of_image(scan.grid);
    known.field = field_of(how.prepare, scan);
    known.bytes = static_cast<double>(std::filesystem::file_size(options.scan));
    return known;
}

PredictedOn predict_on(const Machine* machine, const ReconOptions& options, const KnownScan& scan,
                       Reporter& report) {
    const auto transforms = open_transforms(
        options.compute, report, machine != nullptr ? make_described_device(*machine) : nullptr);
    return {transforms->device().info(),
            predict(*transforms, options.reconstruct, scan.file.stored.scan, scan.grid, scan.field,
                    scan.bytes)};
}

Bound bind_predict() {
    return bound(&options_of, &run);
}

} // namespace lsrecon::app
