#pragma once

#include <memory>

#include "engines/backend.hpp"
#include "operators/gram.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// T as F followed by F^H on the backend's device, for voxels anywhere, on arrays of `device` in
/// this precision. The device, the backend and the sampling must outlive it.
std::unique_ptr<Gram> make_explicit_gram(Device& device, Precision precision, Backend& backend,
                                         const Sampling& sampling, const Voxels& voxels);

} // namespace lsrecon
