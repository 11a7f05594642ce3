#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/options.hpp"

namespace lsrecon {

/// Of a reconstruction before it begins.
struct Prediction {
    /// Seconds over all frames, by names as of Reporter::stage_seconds(), in the order of first
    /// turns.
    std::vector<std::pair<std::string, double>> stages;
    double spread = 1; ///< nine of ten runs take between seconds() over it and times it
    double device_bytes = 0; ///< at most at once; 0 where the device's memory is the host's
    double host_bytes = 0; ///< the same
    std::string engine; ///< of F^H d; "" for a method that takes none
    double engine_error = 0; ///< bound of its relative L2 error
    int iterations = 0; ///< the most that the options allow; 0 of none
    std::string assumed = {}; ///< iterations that the seconds are of, in words; "" for the most

    double seconds() const;
    double seconds_of(const std::string& stage) const; ///< 0 for one that it has not
};

/// Of a scan without samples, which a file of so many bytes holds, on the device of the transforms,
/// by the Costs of what will run. The image is on `grid`; `field` is null without off-resonance.
Prediction predict(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                   const Grid& grid, const std::shared_ptr<const OffResonance>& field,
                   double file_bytes);

} // namespace lsrecon
