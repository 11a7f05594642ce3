#pragma once

#include "io/ismrmrd/frames.hpp"

namespace lsrecon {

/// The scan of sorted acquisitions. InputError when a frame has no samples, when nothing was
/// chosen, or when the units of the trajectory are ambiguous.
StoredScan assemble(RawFrames raw);

} // namespace lsrecon
