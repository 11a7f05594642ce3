#pragma once

#include <string>

#include "base/coil_rows.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// What is resampled, for messages.
struct Resampled {
    std::string file;
    std::string thing; ///< "coil maps"
    std::string next; ///< what to do when they do not fit
    bool shifted = false; ///< --shift-mm moves the image: both places must be known
};

/// A field of view this many times larger is in another unit.
constexpr double most_times_larger = 4;

/// Volumes C x N on the grid of an image: linear interpolation between voxels, 0 beyond their field
/// of view. A slice is taken from volumes where it lies (model/slice_of_volume.hpp); then
/// require_same_field() has passed. InputError when other grids of known geometry are turned
/// against each other, planes lie apart, or a place is not known of an image that is moved.
CoilRows resampled(const CoilRows& volumes, const Grid& from, const Grid& to, const Resampled& of);

/// InputError when `from` leaves out more than a voxel at an edge of `to`, or is so much larger
/// that its unit must be another one.
void require_same_field(const Grid& from, const Grid& to, const Resampled& of);

/// The grid with the smaller field of view of the two along each dimension: what lies beyond either
/// the scan or the image needs no map.
Grid with_smaller_field(Grid grid, const Grid& other);

} // namespace lsrecon
