#pragma once

#include "engines/engine.hpp"

namespace lsrecon {

/// Plain loops on one CPU thread, never optimised: in double precision the oracle, in single
/// precision a comparison for tables.
std::unique_ptr<Transform> make_loops(const EngineContext& context, const Variant& variant,
                                      const SamplePoints& points, const Voxels& voxels);
Cost predict_loops(const EngineFacts& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels);

} // namespace lsrecon
