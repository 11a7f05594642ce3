// The options of how to compute: backend, device, engine, kernel, precision and accuracy.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/finding.hpp"
#include "base/job_ranks.hpp"
#include "base/types.hpp"
#include "engines/tuning.hpp"

namespace lsrecon {

class ContentStore;

inline const std::string engine_by_cost = "auto"; ///< ComputeOptions::engine
inline const std::string backend_by_machine = "auto"; ///< ComputeOptions::backend

/// Whether a backend is one of the reference's, which take no choice of engine or precision.
inline bool is_reference(const std::string& backend) {
    return backend.rfind("reference", 0) == 0;
}

/// The user's choices of how to compute.
struct ComputeOptions {
    /// The name of a row of device_kinds(), or this word: OpenCL where it is built in and has a
    /// driver, else the host's processors.
    std::string backend = backend_by_machine;
    std::string device; ///< index, part of a name, or type; "" for the best one
    std::string kernel; ///< variant of an engine; "" for the usual one
    /// "auto": an exact engine, or one that is not where its error is below `accuracy` and it takes
    /// less than half of the time. "exact", or the name of an engine.
    std::string engine = engine_by_cost;
    /// Names and values of a variant's parameters; empty to use those of `lsrecon tune`, else those
    /// that ship with the program.
    Parameters parameters = {};
    /// The precision of transforms and solver. By default single, with the solver in double
    /// precision where the device has it. The reference has its own.
    std::optional<Precision> precision = {};
    /// The accuracy of transforms: no engine serves whose bound of the relative L2 error is larger,
    /// and the NUFFT chooses its kernel by it; 0 for the usual one.
    double accuracy = 0;
    /// Whether the accuracy follows from the image instead of the user: an exact engine, whose
    /// errors are rounding, then serves whatever they are.
    bool accuracy_is_of_image = false;
    bool is_accuracy_requested() const { return accuracy > 0 && !accuracy_is_of_image; }
    /// Relative L2 error of time segments, where the engine needs them for off-resonance.
    double segment_error = 1e-5;
    /// The ranks that compute together what each is asked for in the same order; null for this one
    /// alone. They choose by the device and the tuned kernels of the first rank, and use the memory
    /// that each of them has.
    JobRanks* ranks = nullptr;
    /// What scans on one device leave for each other of what depends on their trajectories alone.
    /// Null for a scan alone.
    std::shared_ptr<ContentStore> kept = nullptr;
    double device_memory = 0; ///< bytes to use of the device's memory at most; 0 for all of it
    /// Called with what the user should know: a solver that moved to the CPU, a cache that fails.
    OnFinding on_finding = [](const Finding&) {};
    /// Called with facts on how the work is done: in pieces, by time segments.
    std::function<void(const std::string&)> on_info = [](const std::string&) {};
};

} // namespace lsrecon
