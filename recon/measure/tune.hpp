// The search for the parameters of a kernel on one device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "engines/transforms.hpp"

namespace lsrecon {

/// One combination of parameters, verified against the reference before it was timed.
struct TuneCandidate {
    enum class Outcome { timed, slow, wrong, failed };

    Parameters parameters;
    Outcome outcome = Outcome::failed;
    double seconds = 0; ///< seconds of computing; of one run when slow
    std::string reason; ///< why it is wrong or failed
};

struct TuneStep {
    std::string kernel;
    std::string stage;
    std::size_t number; ///< number from 1
    std::size_t count;
    const TuneCandidate& candidate;
    double best_seconds; ///< so far; 0 when none was timed
};

struct TuneOptions {
    std::vector<std::string> kernels; ///< empty for all that have parameters
    std::vector<std::string> stages{"fhd", "q", "f"};
    std::string device;
    std::vector<std::size_t> matrix; ///< empty to let the device's type decide
    std::size_t samples = 0; ///< 0 to let the device's type decide
    unsigned seed = 1;
    std::function<void(const TuneStep&)> on_step = [](const TuneStep&) {};
};

/// The search of one kernel and stage.
struct TuneResult {
    std::string kernel;
    std::string stage;
    std::string device;
    std::string problem; ///< "128x128x128, 16384 samples"
    double pairs = 0; ///< pairs as bench counts them
    std::vector<TuneCandidate> candidates; ///< the fastest first, then what was not timed
    std::size_t skipped = 0; ///< combinations that the device does not allow
    TuneCandidate shipped; ///< the default of the device's family
    TuneCandidate winner; ///< kept for this device

    std::size_t count(TuneCandidate::Outcome outcome) const;
};

/// Searches the full product of each kernel's parameters and keeps the winners, which every command
/// then uses (docs/tuning.md). Earlier winners stay until a search is complete.
///
/// A candidate that cannot be built or launched, or is wrong, is counted and passed over.
/// DeviceError when none is left.
std::vector<TuneResult> tune(const TuneOptions& options, Reporter& report);

} // namespace lsrecon
