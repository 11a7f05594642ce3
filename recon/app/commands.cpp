#include "app/command.hpp"

namespace lsrecon::app {

const std::vector<Command>& commands() {
    static const std::vector<Command> table{
        {"recon", "reconstruct the image of a scan", &bind_recon},
        {"fhd", "compute the adjoint image F^H d", &bind_fhd},
        {"q", "compute Q, the point-spread function of the Toeplitz operator", &bind_q},
        {"maps", "estimate coil maps from the centre of k-space", &bind_maps},
        {"convert", "write an image in another format: NIfTI, ISMRMRD, BART's cfl, PNG",
         &bind_convert},
        {"view", "write a page to look at an image, its residuals and its record", &bind_view},
        {"info", "show the contents of a scan, or the record of an image", &bind_info},
        {"check", "check a scan for errors", &bind_check},
        {"simulate", "simulate the scan of a phantom whose truth is known", &bind_simulate},
        {"validate", "compare every stage on the device with the double-precision reference",
         &bind_validate},
        {"bench", "measure every transform variant on this machine", &bind_bench},
        {"tune", "search for the fastest kernel parameters on this device and keep them",
         &bind_tune},
        {"devices", "list OpenCL devices and show which one is used", &bind_devices},
    };
    return table;
}

} // namespace lsrecon::app
