#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "operators/gram.hpp"

namespace lsrecon {

/// T as F followed by F^H, for voxels anywhere, on arrays of the reference device. The backend and
/// the sampling must outlive it.
std::unique_ptr<Gram> make_explicit_gram(Device& reference, Backend& backend,
                                         const Sampling& sampling, const Voxels& voxels);

} // namespace lsrecon
