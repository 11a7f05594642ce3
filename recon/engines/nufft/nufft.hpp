#pragma once

#include "engines/engine.hpp"

namespace lsrecon {

/// Gridding by a kernel and an FFT (Dutt and Rokhlin 1993; Fessler and Sutton 2003, IEEE TSP
/// 51:560), in the host's memory on all cores, with sums in a fixed order.
/// The relative L2 error that is asked of it: where the user asks nothing, nearly what the
/// precision allows.
double nufft_accuracy(const EngineContext& context);
std::string nufft_refusal(const Device& device, const SamplePoints& points, const Voxels& voxels);
Cost predict_nufft(const EngineContext& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels);
std::unique_ptr<Transform> make_nufft(const EngineContext& context, const Variant& variant,
                                      const SamplePoints& points, const Voxels& voxels);

} // namespace lsrecon
