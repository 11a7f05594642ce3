#pragma once

#include "engines/transforms.hpp"
#include "simulate/simulate.hpp"

namespace lsrecon {

/// The model "voxels" by transforms, which must outlive it.
ForwardModel forward_model(Transforms& transforms);

} // namespace lsrecon
