#pragma once

#include "app/recon.hpp"
#include "device/machine_model.hpp"
#include "io/scan_file.hpp"
#include "plan/plan.hpp"

namespace lsrecon::app {

/// A scan without its samples, and what it is reconstructed with.
struct KnownScan {
    StoredScan stored;
    Grid grid; ///< grid of the image
    std::shared_ptr<const OffResonance> field; ///< null for none
    double bytes; ///< size of the file
};

/// Reads it. InputError as of open_scan and read_volumes.
KnownScan known_scan(ReconOptions& options);

struct PredictedOn {
    DeviceInfo device;
    Plan plan;
};

PredictedOn predict_on(Transforms& transforms, const ReconOptions& options, const KnownScan& scan);

/// Simulates scans, reconstructs each by another process of this program and finds the pace by
/// which predictions come nearest to what these took. `report` is told each. DeviceError when one
/// of these processes fails.
Machine measure_machine(const std::string& device, Reporter& report);

} // namespace lsrecon::app
