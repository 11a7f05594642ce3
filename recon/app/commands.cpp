#include "app/command.hpp"

namespace lsrecon::app {

const std::vector<Command>& commands() {
    static const std::vector<Command> table{
        {"recon", "Reconstruct the image of a scan.", &bind_recon, true},
        {"batch", "Reconstruct many scans, one after the other, and continue where it stopped.",
         &bind_batch, true},
        {"predict", "Say how long a reconstruction will take, and how much memory.", &bind_predict},
        {"fhd", "Compute the adjoint image F^H d.", &bind_fhd},
        {"q", "Compute Q, the point-spread function of the trajectory.", &bind_q},
        {"maps", "Estimate coil maps from the centre of k-space.", &bind_maps},
        {"convert", "Write an image in another format: NIfTI, ISMRMRD, BART's cfl, PNG.",
         &bind_convert},
        {"view", "Write an HTML viewer for an image, its residuals and its record.", &bind_view},
        {"info", "Show the contents of a scan, or the record of an image.", &bind_info},
        {"check", "Check a scan for errors.", &bind_check},
        {"simulate", "Simulate the scan of a phantom whose truth is known.", &bind_simulate},
        {"validate", "Compare every stage on the device with the double-precision reference.",
         &bind_validate},
        {"bench", "Measure every transform variant on this machine.", &bind_bench},
        {"tune", "Search for the fastest kernel parameters on this device and keep them.",
         &bind_tune},
        {"devices", "List OpenCL devices and show which one is used.", &bind_devices},
    };
    return table;
}

} // namespace lsrecon::app
