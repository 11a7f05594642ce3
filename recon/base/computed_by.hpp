#pragma once

#include <string>

namespace lsrecon {

/// What ran: goes into the image's record, `info` and `bench`.
struct ComputedBy {
    std::string backend; ///< as it was asked for
    std::string device; ///< the processor's name
    std::string driver; ///< driver or runtime version
    std::string kernel; ///< variants that ran
    std::string kernel_sha256; ///< of the kernel source that ran, "" for the reference
    double epsilon = 0; ///< unit roundoff of its arithmetic
    /// What the kernels that ran were compiled with and launched by, and who chose it:
    /// "tuned fhd: GROUP=128 VOXELS=8 (tuned on this device)", separated by "; "; "" for kernels
    /// that have no such choice.
    std::string parameters = {};
};

} // namespace lsrecon
