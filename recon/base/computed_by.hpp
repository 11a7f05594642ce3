#pragma once

#include <string>

namespace lsrecon {

/// The device, kernels and arithmetic that ran: it goes into the image's record, `info` and
/// `bench`.
struct ComputedBy {
    std::string backend; ///< backend as it was asked for
    std::string device; ///< the processor's name
    std::string driver; ///< driver or runtime version
    std::string kernel; ///< variants that ran
    std::string kernel_sha256; ///< hash of the kernel source that ran, "" without files
    double epsilon = 0; ///< unit roundoff of its arithmetic
    /// The parameters of the kernels that ran, for compiling and launching them, and who chose
    /// them: "tuned fhd: GROUP=128 VOXELS=8 (tuned on this device)", separated by "; "; "" for
    /// kernels that have no such choice.
    std::string parameters = {};
};

} // namespace lsrecon
