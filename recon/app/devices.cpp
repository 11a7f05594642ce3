#include <cstdio>

#include "app/command.hpp"
#include "app/console.hpp"
#include "engines/tuning.hpp"

namespace lsrecon::app {

namespace {

void print(const DeviceInfo& info) {
    const double mib = 1024.0 * 1024.0;
    std::printf("%d: %s\n", info.index, info.name.c_str());
    std::printf("   type             %s%s\n", info.type.c_str(),
                info.available ? "" : ", not available");
    std::printf("   platform         %s\n", info.platform.c_str());
    std::printf("   vendor           %s\n", info.vendor.c_str());
    std::printf("   version          %s\n", info.version.c_str());
    std::printf("   driver           %s\n", info.driver.c_str());
    std::printf("   compute units    %u at %u MHz\n", info.compute_units, info.clock_mhz);
    std::printf("   global memory    %.0f MiB, largest buffer %.0f MiB\n",
                static_cast<double>(info.global_bytes) / mib,
                static_cast<double>(info.max_allocation_bytes) / mib);
    std::printf("   constant memory  %.0f KiB\n", static_cast<double>(info.constant_bytes) / 1024);
    std::printf("   local memory     %.0f KiB\n", static_cast<double>(info.local_bytes) / 1024);
    std::printf("   work-group       %zu work-items at most\n", info.max_work_group);
    std::printf("   precision        single%s\n", info.double_precision ? " and double" : "");
    if (!info.compute_capability.empty()) {
        std::printf("   capability       %s\n", info.compute_capability.c_str());
    }
}

ExitCode run(const std::string& wanted) {
    const std::vector<DeviceInfo> devices = list_devices();
    for (const DeviceInfo& info : devices) {
        print(info);
    }
    const int chosen = choose_device(devices, wanted);
    std::printf("chosen  %d: %s\n", chosen, devices[static_cast<std::size_t>(chosen)].name.c_str());
    std::string names;
    for (const std::string& name : kernel_names()) {
        names += (names.empty() ? "" : ", ") + name;
    }
    std::printf("kernels %s; chosen %s\n", names.c_str(), default_kernel().c_str());
    for (const Tunable& row : tunables()) {
        const ChosenParameters parameters =
            choose_parameters(devices[static_cast<std::size_t>(chosen)], row.kernel, row.stage);
        std::printf("        %s %s: %s\n", row.kernel.c_str(), row.stage.c_str(),
                    parameters.text().c_str());
    }
    return ExitCode::done;
}

} // namespace

std::function<ExitCode()> bind_devices(CLI::App& sub) {
    auto wanted = std::make_shared<std::string>();
    sub.add_option("--device", *wanted, "show what this would choose: index, name or type");
    return [wanted] { return run(*wanted); };
}

} // namespace lsrecon::app
