#pragma once

#include "engines/engine.hpp"

namespace lsrecon::opencl {

/// F of this sampling at these voxels, by a variant of an engine; each in a file of its name.
using MakeTransform = std::unique_ptr<Transform>(const EngineContext& context,
                                                 const Variant& variant, const SamplePoints& points,
                                                 const Voxels& voxels);
MakeTransform make_direct, make_separable, make_nufft;

/// RUN of kernels/transform.h: sources that are summed before their sum goes to the total.
constexpr std::size_t sources_of_a_run = 32;

/// Bound of the relative L2 error of a stage with exact phases.
double error_of_exact(const EngineFacts& context, const Variant& variant, const std::string& stage,
                      const SamplePoints& points, const Voxels& voxels);
/// The cost of one coil of a stage with exact phases: seconds by the nominal rates of the device.
Cost predict_exact(const EngineFacts& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels);
/// The cost by the separable engine, with the factors of its phases.
Cost predict_separable(const EngineFacts& context, const Variant& variant, const std::string& stage,
                       const SamplePoints& points, const Voxels& voxels);

Cost predict_nufft(const EngineFacts& context, const Variant& variant, const std::string& stage,
                   const SamplePoints& points, const Voxels& voxels);

} // namespace lsrecon::opencl
