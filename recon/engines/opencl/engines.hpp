// The engines that compute by kernels on an OpenCL device.

#pragma once

#include "engines/engine.hpp"

namespace lsrecon::opencl {

/// Each is in a file of its name.
MakeTransform make_direct, make_separable, make_nufft;

/// RUN of kernels/transform.h: sources that are summed before their sum goes to the total.
constexpr std::size_t sources_of_a_run = 32;

/// Bound of the relative L2 error of a stage with exact phases.
double error_of_exact(const EngineFacts& context, const Variant& variant, const std::string& stage,
                      const SamplePoints& points, const Voxels& voxels);
/// The cost by exact phases: seconds by the nominal rates of the device; with the separable
/// engine's factors of its phases; and by the NUFFT.
PredictCost predict_exact, predict_separable, predict_nufft;

} // namespace lsrecon::opencl
