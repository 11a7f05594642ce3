#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "device/device.hpp"
#include "engines/pair_cost.hpp"
#include "engines/transform.hpp"
#include "scan/voxels.hpp"

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

/// A device and the engine that transforms on it.
class Backend {
public:
    virtual ~Backend() = default;
    virtual BackendInfo info() const = 0;
    virtual Device& device() = 0;
    /// Opens the device while the caller goes on, where that takes a while.
    virtual void open_ahead() {}
    /// Of the transforms' arrays, and of the solver's.
    virtual Precision precision() const = 0;
    virtual Precision solver_precision() { return precision(); }

    /// F for samples and voxels, off resonance where the voxels are and the samples have times.
    /// What the points refer to and the backend must outlive it.
    virtual std::unique_ptr<Transform> transform(const SamplePoints& points,
                                                 const Voxels& voxels) = 0;
    /// Whether off-resonance on a grid is divided into time segments (engines/segments.hpp) and how
    /// finely; 0 when it is part of every phase.
    virtual double segment_error() const { return 0; }
    /// Of its kernel in "fhd", "q" or "f", in single precision.
    virtual PairCost cost_of_pair(const std::string&) { return {}; }

    /// Passes a note to the user (BackendOptions::note).
    virtual void note(const std::string& message) const = 0;

    /// Seconds that transforms have computed since then, without transfer to and from the device.
    virtual void restart_clock() = 0;
    virtual double compute_seconds() const = 0;
};

/// What the user asks of a backend.
struct BackendOptions {
    std::string backend = "opencl"; ///< name of a row in backends.cpp
    std::string device; ///< index, part of a name, or type; "" for the best one
    std::string kernel; ///< transform variant; "" for the default
    /// Names and values of a variant's parameters; empty to use those of `lsrecon tune`, else those
    /// that ship with the program.
    Parameters parameters = {};
    /// Of transforms and solver. By default single, with the solver in double precision where the
    /// device has that. The reference has its own.
    std::optional<Precision> precision = {};
    /// Relative L2 error of time segments, where the engine needs them for off-resonance.
    double segment_error = 1e-5;
    double device_memory = 0; ///< bytes to use of the device's memory at most; 0 for all of it
    /// Called with what the user should know: work in pieces, a solver that moved to the CPU.
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

/// Names of the transform variants, in the order of the ladder.
std::vector<std::string> kernel_names();
/// The one used unless the user names another.
std::string default_kernel();

} // namespace lsrecon
