#pragma once

#include "scan/voxels.hpp"

namespace lsrecon {

/// What a transform between these has of it: null where the samples have no times or the voxels no
/// field, because one without the other is none.
inline const OffResonance* off_resonance_of(const SamplePoints& points, const Voxels& voxels) {
    return points.times != nullptr ? voxels.off_resonance().get() : nullptr;
}

} // namespace lsrecon
