#include "app/command.hpp"

namespace lsrecon::app {

const std::vector<Command>& commands() {
    static const std::vector<Command> table{
        {"recon", "reconstruct the image of a scan", &bind_recon},
        {"fhd", "compute F^H d of a scan, one stage for reuse", &bind_fhd},
        {"q", "compute Q of a scan, one stage for reuse", &bind_q},
        {"info", "what is in a scan", &bind_info},
        {"check", "what is wrong with a scan", &bind_check},
        {"simulate", "make a scan of a phantom whose truth is known", &bind_simulate},
        {"validate", "every stage on the device against the double-precision reference",
         &bind_validate},
        {"bench", "the table of transform variants on this machine", &bind_bench},
        {"tune", "search the fastest kernel parameters for this device and keep them", &bind_tune},
        {"devices", "what OpenCL offers here and what would be chosen", &bind_devices},
    };
    return table;
}

} // namespace lsrecon::app
