#pragma once

#include "simulate/phantom.hpp"

namespace lsrecon {

/// Components along the axes of the part.
Vec3 along_axes(const Ellipsoid& part, const Vec3& v);

/// Fraction of a voxel with these edges, around x, that lies inside the part: exact along the edge
/// that crosses the outline, at points along the others. A voxel may be longer than the part. All
/// in fields of view.
double covered_fraction(const Ellipsoid& part, const Vec3& x, const Vec3& voxel, int dimensions);

} // namespace lsrecon
