#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "device/device.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The numbers that a kernel is compiled with and launched by, by the names of its macros.
using Parameters = std::map<std::string, int>;

/// What ran: goes into the image's record, `info` and `bench`.
struct BackendInfo {
    std::string backend; ///< "reference" or "opencl"
    std::string device; ///< the processor's name
    std::string driver; ///< driver or runtime version
    std::string kernel; ///< variants that ran, "loops" for the reference
    std::string kernel_sha256; ///< of the kernel source that ran, "" for the reference
    double epsilon = 0; ///< unit roundoff of its arithmetic
    /// What the kernels that ran were compiled with and launched by, and who chose it:
    /// "tuned fhd: GROUP=128 VOXELS=8 (tuned on this device)", separated by "; "; "" for kernels
    /// that have no such choice.
    std::string parameters = {};
};

/// Called with the fraction that is done; may throw to stop the work.
using Progress = std::function<void(double)>;

/// The verbs every backend can do. Everything comes and goes in double precision; a backend
/// computes in its own. Sums over m or n are direct: no gridding, no approximation but rounding.
class Backend {
public:
    virtual ~Backend() = default;
    virtual BackendInfo info() const = 0;

    /// mu_cm = conj(phi_m) w_m d_cm, C x M. Stone et al. 2008, equation for F^H d.
    virtual CoilMatrix mu(const Sampling& sampling, const CoilMatrix& samples) = 0;

    /// out_cn = sum_m mu_cm exp(+i 2 pi k_m . x_n), C x N: F^H d before coils are combined.
    virtual CoilMatrix fhd(const std::vector<Vec3>& trajectory, const CoilMatrix& mu,
                           const Voxels& voxels, const Progress& progress) = 0;

    /// q_n = sum_m weight_m exp(+i 2 pi k_m . x_n), N. The weights are w |phi|^2.
    virtual ComplexVector q(const std::vector<Vec3>& trajectory, const RealVector& weights,
                            const Voxels& voxels, const Progress& progress) = 0;

    /// out_cm = sum_n rho_cn exp(-i 2 pi k_m . x_n), C x M: F before phi.
    virtual CoilMatrix forward(const std::vector<Vec3>& trajectory, const CoilMatrix& rho,
                               const Voxels& voxels, const Progress& progress) = 0;

    /// The arrays of its device, for the solver.
    virtual Device& device() = 0;
    /// Tells the user (BackendOptions::note).
    virtual void note(const std::string& message) const = 0;

    /// Seconds that the last transform spent computing, without conversion and transfer to and
    /// from this interface. What `bench` reports.
    virtual double compute_seconds() const = 0;

    /// Bound of the relative L2 error of the last transform, over many points, by how it summed.
    virtual double error_bound() const = 0;
};

/// What the user asks of a backend.
struct BackendOptions {
    std::string backend = "opencl"; ///< name of a row in backends.cpp
    std::string device; ///< index, part of a name, or type; "" for the best one
    std::string kernel; ///< transform variant; "" for the default
    /// Names and values of a variant's parameters; empty to use those of `lsrecon tune`, else those
    /// that ship with the program.
    Parameters parameters = {};
    double device_memory = 0; ///< bytes to use of the device's memory at most; 0 for all of it
    /// Told what the user should know: work cut into pieces, a solver that moved to the CPU.
    std::function<void(const std::string&)> note = [](const std::string&) {};
};

/// UsageError for an unknown name, and for flags that the backend does not take.
void check_options(const BackendOptions& options);

/// As check_options; NotBuiltError for one left out of this build, DeviceError when
/// its device cannot be used.
std::unique_ptr<Backend> make_backend(const BackendOptions& options);

struct BackendRow {
    std::string name;
    std::string summary;
    bool built;
};
std::vector<BackendRow> backend_rows();

} // namespace lsrecon
