#pragma once

#include "engines/engine.hpp"

namespace lsrecon::host {

// Exact transforms in the host's memory on all cores, with sums in an order that does not depend on
// their number.

/// Direct sums in double precision, at any points, off resonance too.
Cost predict_sums(const EngineFacts& facts, const Variant& variant, const std::string& stage,
                  const SamplePoints& points, const Voxels& voxels);
std::unique_ptr<Transform> make_sums(const EngineContext& context, const Variant& variant,
                                     const SamplePoints& points, const Voxels& voxels);

/// On a lattice, by products of a factor a dimension, in the precision of the arrays.
Cost predict_separable(const EngineFacts& facts, const Variant& variant, const std::string& stage,
                       const SamplePoints& points, const Voxels& voxels);
std::unique_ptr<Transform> make_separable(const EngineContext& context, const Variant& variant,
                                          const SamplePoints& points, const Voxels& voxels);

} // namespace lsrecon::host
