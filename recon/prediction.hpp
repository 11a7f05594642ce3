#pragma once

#include <string>
#include <vector>

#include "reconstruct.hpp"

namespace lsrecon {

/// A stage of a reconstruction before it begins, over all frames.
struct PredictedStage {
    std::string name; ///< as the console and the image's record have it
    double seconds;
};

struct Prediction {
    std::vector<PredictedStage> stages; ///< in the order of their first turns
    double spread = 1; ///< nine of ten runs take between seconds() over it and times it
    double device_bytes = 0; ///< at most at once; 0 where the device's memory is the host's
    double host_bytes = 0; ///< the same
    std::string engine; ///< of F^H d
    double engine_error = 0; ///< bound of its relative L2 error
    int iterations = 0; ///< that the seconds are of: the most that the options allow

    double seconds() const;
};

/// Of a scan without samples, which a file of so many bytes holds, on the device of the transforms,
/// by the Costs of what will run. The image is on `grid`; `field` is null without off-resonance.
Prediction predict(Transforms& transforms, const ReconstructOptions& options, const Scan& scan,
                   const Grid& grid, const OffResonance* field, double file_bytes);

} // namespace lsrecon
