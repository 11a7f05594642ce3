// Finds samples that are far stronger than k-space is where they lie.

#pragma once

#include "scan/scan.hpp"

namespace lsrecon {

struct Spikes {
    std::size_t count = 0;
    std::size_t first = 0; ///< sample
    double times = 0; ///< amplitude of the strongest, in units of what k-space has there
};

/// Samples whose amplitude is 5 times that of the twelfth strongest sample as far out in k-space or
/// farther; the signal of an object is as strong at its neighbours. Up to 11 of a frame are found.
/// The strongest sample of 100 simulated scans was 1.0 to 2.5 times it.
Spikes spikes_of(const CoilRows& samples, const Trajectory& trajectory);

} // namespace lsrecon
