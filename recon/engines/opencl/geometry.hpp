#pragma once

#include <string>

#include "device/devices.hpp"
#include "engines/chunks.hpp"
#include "engines/opencl/points.hpp"
#include "engines/tuning.hpp"

namespace lsrecon::opencl {

/// The assignment of the points of a direct transform to work-items. Most variants have one point a
/// work-item and groups of 64.
struct Geometry {
    std::size_t group = 64; ///< work-items of a work-group at most
    std::size_t points_of_an_item = 1;
    std::size_t row_length = 0; ///< points that share work-items with no others; 0 for all points
    bool mirror = false; ///< every point also stands for its image by x -> -x
    std::string defines; ///< defines of the geometry, for the compiler

    std::size_t row_of(const Range& block) const;
    std::size_t items(const Range& block) const;
};

/// The geometry of kernels/tuned.cl, within what `plan` allows; cuts the plan to whole runs and
/// rows.
///
/// On GPUs a work-item has fewer points when several coils share it, so that its sums stay in
/// registers. Rows that would leave much of their work-items idle are not kept apart.
Geometry tuned_geometry(const Resources& resources, const ChosenParameters& parameters,
                        const PointsOnDevice& sources, const PointsOnDevice& points, bool mirror,
                        TransformPlan& plan);

} // namespace lsrecon::opencl
