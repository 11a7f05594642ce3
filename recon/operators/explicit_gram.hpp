#pragma once

#include <memory>

#include "engines/transforms.hpp"
#include "operators/gram.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// T as F followed by F^H on the transforms' device, for voxels anywhere, on arrays of `device` in
/// this precision. The device, the transforms and the sampling must outlive it.
std::unique_ptr<Gram> make_explicit_gram(Device& device, Precision precision,
                                         Transforms& transforms, const Sampling& sampling,
                                         const Voxels& voxels);

} // namespace lsrecon
