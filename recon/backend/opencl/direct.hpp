#pragma once

#include "backend/backend.hpp"
#include "backend/opencl/points.hpp"
#include "backend/opencl/queue.hpp"
#include "backend/tuning.hpp"

namespace lsrecon::opencl {

/// out_cp = sum_s value_cs exp(sign i 2 pi k.u), by the variant of the catalogue's row: sources in
/// chunks, points in blocks, coils in groups (plan/chunks.hpp).
///
/// `mirror` is for rows of SourceLayout::vectors and complex values: every point stands for that
/// with the other sign, too, whose C rows follow the others.
CoilMatrix direct_transform(Queue& queue, const KernelRow& row, const ChosenParameters& parameters,
                            const Points& sources, const CoilMatrix& values, bool real_values,
                            const Points& points, bool mirror, int sign, const Progress& progress);

} // namespace lsrecon::opencl
