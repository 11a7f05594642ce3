#pragma once

#include <memory>

#include "engines/transforms.hpp"
#include "operators/coil_maps.hpp"
#include "operators/gram.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// N by F followed by F^H on the transforms' device in the precision `of_transform`, for voxels
/// anywhere, on arrays of `device` in `precision`. The device, the maps, the transforms and the
/// sampling must outlive it.
std::unique_ptr<Gram> make_explicit_gram(Device& device, Precision precision, CoilMaps& maps,
                                         Transforms& transforms, Precision of_transform,
                                         const Sampling& sampling, const Voxels& voxels);

} // namespace lsrecon
