#pragma once

#include <string>
#include <vector>

#include "scan/grid.hpp"

namespace lsrecon {

/// Names of the trajectory units: "cycles/fov", "cycles/voxel", "rad/voxel", "1/m".
const std::vector<std::string>& trajectory_unit_names();

/// Factor per dimension that turns a coordinate in `units` into cycles per field of view.
/// UsageError for an unknown name.
Vec3 to_cycles_per_fov(const std::string& units, const Grid& grid);

/// Dimensions of fewer say nothing about units: a few cycles, radians or 1/m look alike there.
constexpr std::size_t fewest_voxels = 8;

/// The one unit in which the trajectory fills the sampled range of the grid: in which its largest
/// coordinate, relative to N/2, is between 0.5 and 1.05 in some dimension (of fewest_voxels or
/// more, where there are such) and above 1.05 in none. "" when no unit or more than one fits, and
/// for cycles/voxel when the trajectory may be in 1/mm.
std::string guess_trajectory_units(const std::vector<Vec3>& trajectory, const Grid& grid);

/// Whether 1/mm, which is none of the units, fills the range and cycles/voxel only nearly: with
/// voxels of about 1 mm the two look alike.
bool may_be_per_mm(const std::vector<Vec3>& trajectory, const Grid& grid);

/// How far a trajectory with these largest stored coordinates would reach, relative to N/2, if they
/// were in each of the units: "0.98 x 0.98 in cycles/fov, 63 x 63 in cycles/voxel, ...".
std::string reach_in_each_unit(const Vec3& largest_stored, const Grid& grid);

} // namespace lsrecon
