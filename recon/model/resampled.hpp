// Volumes such as coil maps, interpolated from their grid to that of an image.

#pragma once

#include <string>

#include "base/coil_rows.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// The words by which messages name the volume that is resampled.
struct Resampled {
    std::string file;
    std::string thing; ///< "coil maps"
    std::string next; ///< what to do when they do not fit
    bool shifted = false; ///< --shift-mm moves the image: both poses must be known
};

/// Whether `from` is a volume and `to` a slice, which may lie in it anywhere and turned. A volume
/// of one plane is a plane.
bool is_slice_of(const Grid& to, const Grid& from);

/// InputError that names what is missing when the position or directions of a grid are not known.
/// `whose`: "the scan".
void require_known_pose(const Grid& grid, const std::string& whose, const Resampled& of);

/// Volumes C x N at the centres of an image's voxels: linear interpolation along the axes of the
/// volumes, 0 beyond their field of view. A slice of a volume is thin, and both poses are known.
/// All other grids share their axes, in any order and direction, as far as both say; a grid that
/// does not say where it lies has the other's axes and centre. InputError when these are turned
/// against each other, planes lie apart, or a pose is not known of a slice, or of an image that is
/// moved.
CoilRows resampled(const CoilRows& volumes, const Grid& from, const Grid& to, const Resampled& of);

/// The errors of resampled() that do not concern planes. InputError too when `from` leaves out more
/// than a voxel at an edge of `to`, or is so much larger that its unit must be another one. Of a
/// slice the middle row and column must lie within the volume, but for a voxel at the edges:
/// corners hold no object.
void require_same_field(const Grid& from, const Grid& to, const Resampled& of);

/// The grid with the smaller field of view of the two along each dimension: what lies beyond either
/// the scan or the image needs no map.
Grid with_smaller_field(Grid grid, const Grid& other);

/// Linear interpolation from one number of voxels across a field of view to another, to x from.
Eigen::MatrixXf linear_interpolation(std::size_t to, std::size_t from);

} // namespace lsrecon
