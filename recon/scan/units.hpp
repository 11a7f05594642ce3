// Units of trajectories and fields of view: conversion, guesses and hints.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// Names of the trajectory units: "cycles/fov", "cycles/voxel", "rad/voxel", "1/m".
const std::vector<std::string>& trajectory_unit_names();

/// Factor per dimension that turns a coordinate in `units` into cycles per field of view.
/// UsageError for an unknown name.
Vec3 to_cycles_per_fov(const std::string& units, const Grid& grid);

/// Some programs write fields of view in metres. One below 2 mm along x and y is taken for that,
/// and its lengths below 2 become mm; the 1 of a slice of unknown thickness stays. Null for
/// others.
std::optional<Finding> metres_to_mm(Vec3& fov_mm, int dimensions);

/// Dimensions of fewer say nothing about units: a few cycles, radians or 1/m look the same there.
constexpr std::size_t fewest_voxels = 8;

/// The share of N/2 that a scan reaches at least: a matrix of twice what was scanned is usual, as
/// scanners interpolate, and spirals end a little before.
constexpr double least_reach = 0.49;

/// The one unit in which the trajectory fills the sampled range of the grid: in which its largest
/// coordinate, relative to N/2, is between least_reach and 1.05 in some dimension (of fewest_voxels
/// or more, where there are such) and above 1.05 in none. "" when no unit or more than one fits,
/// and when the trajectory may be in a foreign unit.
std::string guess_trajectory_units(const std::vector<Vec3>& positions, const Grid& grid);

/// Whether coordinates in cycles per field of view fill every dimension of a grid, as far as the
/// largest ones say: 0.95 to 1.001 of N/2.
bool fill_every_dimension(const Vec3& largest, const Grid& grid);

/// A unit that programs write and that is none of trajectory_unit_names().
struct ForeignUnit {
    std::string name;
    double per_m; ///< how many 1/m it is
};

/// "1/cm": one that the trajectory may be in, because it fills the range (0.95 to 1.001 of N/2)
/// and none of trajectory_unit_names() does. Null when there is none.
const ForeignUnit* foreign_unit_that_fills(const std::vector<Vec3>& positions, const Grid& grid);

/// One in which the trajectory fits as loosely as guess_trajectory_units() wants it. Null when
/// there is none, or when one of trajectory_unit_names() is filled.
const ForeignUnit* foreign_unit_that_fits(const std::vector<Vec3>& positions, const Grid& grid);

/// A guess at a trajectory that fits in no unit, and the step that would make it readable.
struct UnitsHint {
    std::string seems; ///< "in +-1, which is not read, it would be filled"
    std::string next_step;
};

/// The hint for a trajectory whose coordinates, as stored, go from `least` to `most`: one of -1 to
/// 1, in radians per field of view or around another point than 0, or a field of view in cm.
/// Nothing where none of these fits. `units` are those that the file says, "" where it says none.
std::optional<UnitsHint> hint_on_units(const Vec3& least, const Vec3& most, const Grid& grid,
                                       const std::string& units);

/// The least and the largest coordinate of trajectories in each dimension.
struct Extent {
    Vec3 least{HUGE_VAL, HUGE_VAL, HUGE_VAL};
    Vec3 most{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    void add(const std::vector<Vec3>& positions);
    void add(const Vec3& position);
};

/// Suggests what to do when a trajectory does not fit its matrix in the declared `units`, in which
/// it covers `extent` in cycles/fov: pass the unit in which it would, or else what hint_on_units()
/// says.
std::optional<UnitsHint> hint_on_wrong_units(Extent extent, const Grid& grid,
                                             const std::string& units);

/// The largest coordinates, relative to N/2, that a trajectory would reach if its stored
/// coordinates were in each of the units: "0.98 x 0.98 in cycles/fov, 63 x 63 in cycles/voxel,
/// ...".
std::string reach_in_each_unit(const Vec3& largest_stored, const Grid& grid);

} // namespace lsrecon
