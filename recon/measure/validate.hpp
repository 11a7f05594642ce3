// Each stage on a device against the double reference.
#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"
#include "engines/transforms.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

struct ValidateOptions {
    /// Sample-voxel pairs that the reference may spend on a stage; more are sampled. It makes about
    /// 3e7 pairs a second.
    double pairs = 2e7;
    double lambda = 0.01; ///< lambda of the solution
    unsigned seed = 1; ///< seed of the voxels that are sampled and of the test volumes
};

/// One stage on the device against the double reference.
struct ValidationRow {
    std::string stage;
    double relative_l2 = 0;
    double bound = 0;
    double largest = 0; ///< largest |difference|, relative to the largest |value|
    std::string where; ///< coil and voxel or sample of it
    std::size_t compared = 0;
    std::size_t total = 0;
    std::string remark; ///< what was compared, "" for all of it

    /// A bound as wide as this says nothing: so few samples that the solution is hardly determined.
    static constexpr double widest_bound = 0.1;
    bool says_something() const { return bound <= widest_bound; }
    bool passed() const { return says_something() ? relative_l2 <= bound : true; }
};

/// Runs Mu, FHd, Q, F, the operator product, a few iterations of the solver and the device's solver
/// on the scan's first frame on the device and on the reference. Stages that a scan without
/// samples does not have are left out. The verdict is of the device: whether the scan's solution
/// has converged has no part in it.
std::vector<ValidationRow> validate(const Scan& scan, Transforms& device,
                                    const ValidateOptions& options, Reporter& report);

} // namespace lsrecon
