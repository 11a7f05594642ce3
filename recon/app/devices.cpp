#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "app/predict.hpp"
#include "base/cache_folder.hpp"
#include "base/machine.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "engines/tuning.hpp"

namespace lsrecon::app {

namespace {

void print(const DeviceInfo& info) {
    const double mib = 1024.0 * 1024.0;
    print_line("%d: %s", info.index, info.name.c_str());
    print_line("   type             %s%s", info.type.c_str(),
               info.available ? "" : ", not available");
    print_line("   platform         %s", info.platform.c_str());
    print_line("   vendor           %s", info.vendor.c_str());
    print_line("   version          %s", info.version.c_str());
    print_line("   driver           %s", info.driver.c_str());
    print_line("   compute units    %u at %u MHz", info.compute_units, info.clock_mhz);
    print_line("   global memory    %.0f MiB, largest buffer %.0f MiB",
               static_cast<double>(info.global_bytes) / mib,
               static_cast<double>(info.max_allocation_bytes) / mib);
    print_line("   constant memory  %.0f KiB", static_cast<double>(info.constant_bytes) / 1024);
    print_line("   local memory     %.0f KiB", static_cast<double>(info.local_bytes) / 1024);
    print_line("   work-group       %zu work-items at most", info.max_work_group);
    print_line("   precision        single%s", info.double_precision ? " and double" : "");
    if (!info.compute_capability.empty()) {
        print_line("   capability       %s", info.compute_capability.c_str());
    }
}

struct Options {
    std::string wanted;
    bool measure = false;
    std::string output;
};

OptionTable options_of(Options& options) {
    return joined(
        {in("Device", {device_option(options.wanted)}),
         in("Prediction",
            {{"measure", toggle(options.measure), "measure how long the device takes",
              More{"Simulated scans are reconstructed, which takes about a minute. `lsrecon "
                   "predict` "
                   "and the time left that `recon` shows use what is measured from then on."}},
             {"output", name(options.output), "file for the timings of this machine",
              Default{"none"},
              More{"`lsrecon predict --machine FILE` reads it elsewhere. It needs `--measure`."},
              Needs{"measure"}}})});
}

ExitCode measure(const Options& options) {
    check_files({}, {{"--output", options.output, FileKind::json}});
    require_folder("LSRECON_CACHE", cache_folder());
    Console console(false);
    const Machine machine = measure_machine(options.wanted, console);
    keep(machine);
    if (!options.output.empty()) {
        write_machine(options.output, machine);
    }
    print_line("%s measured; predictions are within a factor of %.2f for nine runs in ten",
               machine.device.name.c_str(), machine.pace.spread);
    return ExitCode::done;
}

ExitCode run(Options& options) {
    if (options.measure) {
        return measure(options);
    }
    const std::string& wanted = options.wanted;
    const std::vector<DeviceInfo> devices = list_devices();
    for (const DeviceInfo& info : devices) {
        print(info);
    }
    print_line("processors, by --backend host: %s", processor_name().c_str());
    const int chosen = choose_device(devices, wanted);
    print_line("chosen  %d: %s", chosen, devices[static_cast<std::size_t>(chosen)].name.c_str());
    print_line("kernels %s; chosen %s", comma_separated(kernel_names()).c_str(),
               default_kernel().c_str());
    for (const Tunable& row : tunables()) {
        const ChosenParameters parameters =
            choose_parameters(devices[static_cast<std::size_t>(chosen)], row.kernel, row.stage);
        print_line("        %s %s: %s", row.kernel.c_str(), row.stage.c_str(),
                   parameters.text().c_str());
    }
    return ExitCode::done;
}

} // namespace

Bound bind_devices() {
    return bound(&options_of, &run);
}

} // namespace lsrecon::app
