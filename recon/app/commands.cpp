// The table of commands, in the order of the help.

#include "app/command.hpp"

namespace lsrecon::app {

const std::vector<Command>& commands() {
    static const std::vector<Command> table{
        {"recon",
         "Reconstruct the image of a scan.",
         &bind_recon,
         true,
         {"lsrecon recon scan.h5 -o image.h5",
          "lsrecon recon scan.h5 -o image.h5 --maps walsh --lambda 0.01 --png image.png",
          "lsrecon recon scan.h5 -o image.h5 --reg tv:0.02 --iterations 20"}},
        {"batch",
         "Reconstruct many scans, one after the other, and continue where it stopped.",
         &bind_batch,
         true,
         {"lsrecon batch scans/*.h5 -o images", "lsrecon batch list.txt -o images --lambda 0.01",
          "lsrecon batch list.txt -o images --share 1/2"}},
        {"predict", "Say how long a reconstruction will take, and how much memory.", &bind_predict},
        {"fhd",
         "Compute the adjoint image F^H d.",
         &bind_fhd,
         false,
         {"lsrecon fhd scan.h5 -o fhd.h5", "lsrecon fhd scan.h5 -o fhd.h5 --frames 0"}},
        {"q",
         "Compute Q, the point-spread function of the trajectory.",
         &bind_q,
         false,
         {"lsrecon q scan.h5 -o q.h5", "lsrecon recon scan.h5 -o image.h5 --q q.h5"}},
        {"maps",
         "Estimate coil maps from the centre of k-space.",
         &bind_maps,
         false,
         {"lsrecon maps scan.h5 -o maps.h5", "lsrecon recon scan.h5 -o image.h5 --maps maps.h5"}},
        {"delays", "Find delays of gradients and phases of readouts by a scan.", &bind_delays},
        {"fieldmap",
         "Make a field map of images at several echo times.",
         &bind_fieldmap,
         false,
         {"lsrecon fieldmap echoes.h5 -o field.h5"}},
        {"import",
         "Make a scan of arrays: NumPy, MATLAB, BART, HDF5.",
         &bind_import,
         false,
         {"lsrecon import data.npz -o made.h5 --matrix 256,256",
          "lsrecon import samples=data.npz:d trajectory=data.npz:k -o named.h5 --matrix 256,256"}},
        {"convert", "Write an image in another format: NIfTI, ISMRMRD, BART's cfl, PNG.",
         &bind_convert},
        {"compare", "Say how far an image is from another, and show where.", &bind_compare},
        {"view", "Write a page for the browser: an image and its record, or a scan.", &bind_view},
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
