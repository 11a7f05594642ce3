// The engines that compute in the host's memory.

#pragma once

#include "engines/engine.hpp"

namespace lsrecon {

/// Plain loops on one CPU thread, never optimised: in double precision the oracle, in single
/// precision a comparison for tables.
MakeTransform make_loops;
PredictCost predict_loops;

// The NUFFT: gridding by a kernel and an FFT (Dutt and Rokhlin 1993; Fessler and Sutton 2003, IEEE
// TSP 51:560), on all cores, with sums in a fixed order.

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
PredictCost predict_nufft;
MakeTransform make_nufft;

// Exact transforms on all cores, with sums in an order that does not depend on their number.

namespace host {

/// Direct sums in double precision, at any points, off resonance too.
PredictCost predict_sums;
MakeTransform make_sums;

/// On a lattice, by products of a factor a dimension, in the precision of the arrays.
PredictCost predict_separable;
MakeTransform make_separable;

} // namespace host
} // namespace lsrecon
