#pragma once

#include "engines/engine.hpp"

namespace lsrecon {

// The NUFFT: gridding by a kernel and an FFT (Dutt and Rokhlin 1993; Fessler and Sutton 2003, IEEE
// TSP 51:560), in the host's memory on all cores, with sums in a fixed order.

/// Below it, sums in floats keep no error that is asked for.
constexpr double least_accuracy_of_floats = 5e-6;
/// The precision that it computes in: doubles for accuracies that floats cannot keep, where the
/// device has them.
Precision nufft_precision(const EngineFacts& facts);
/// The rounding of its results, where they are stored in less than that.
double nufft_rounding(const EngineFacts& facts);
/// The error that its fine grid may have for the accuracy that is asked for, or for nearly what the
/// precision allows.
double error_for_fine_grid(const EngineFacts& facts);
std::string nufft_refusal(const SamplePoints& points, const Voxels& voxels);
Cost predict_nufft(const EngineFacts& facts, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels);
std::unique_ptr<Transform> make_nufft(const EngineContext& context, const Variant& variant,
                                      const SamplePoints& points, const Voxels& voxels);

} // namespace lsrecon
