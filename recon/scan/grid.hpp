// The grid of an image, and what a user may change of it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace lsrecon {

/// Voxels of one dimension at most; more is a slip, or a damaged file.
constexpr std::size_t longest_side = 1000000;

/// The image grid: voxel n lies at x = (n - floor(N/2)) / N of the field of view in each dimension.
struct Grid {
    int dimensions = 2;
    std::array<std::size_t, 3> size{1, 1, 1}; ///< X, Y, Z; Z is 1 in two dimensions
    Vec3 fov_mm{1, 1, 1};

    /// Centre of the grid in mm, patient coordinates (LPS), when the scan says it.
    std::optional<Vec3> position;
    /// Unit vectors of x, y and z in patient coordinates (LPS), when the scan says them.
    std::optional<std::array<Vec3, 3>> directions;

    std::size_t voxels() const { return size[0] * size[1] * size[2]; }

    /// Two grids that make the same Q: geometry in the patient does not matter.
    bool same_lattice(const Grid& other) const {
        return dimensions == other.dimensions && size == other.size;
    }
};

/// The grid of the image and its position where they differ from the file's. Vectors have one entry
/// a dimension of the scan, or none to leave it as it is.
struct GeometryOptions {
    std::vector<std::size_t> matrix; ///< voxels
    std::vector<double> fov_mm;
    std::vector<double> shift_mm; ///< the image moves by this along x, y (and z) of the grid
    /// The trajectory has the other sign: the file was written for exp(+i 2 pi k . x).
    bool conjugate = false;
    /// The object at the position of a frame's acquisitions moves to the centre, for raw data that
    /// the scanner has not shifted. The position stays. It takes the place of shift_mm.
    bool shift_to_position = false;

    /// Word for it in records.
    std::string header_shift() const { return shift_to_position ? "yes" : "no"; }
    bool shifts() const { return shift_to_position || !shift_mm.empty(); }
    bool other_grid() const { return !(matrix.empty() && fov_mm.empty()); }
    bool any() const { return conjugate || shifts() || other_grid(); }

    /// The grid of the image, before it is known whether the matrix fits the scan: one that does
    /// not leaves that of the file.
    Grid grid_of_image(const Grid& of_file) const {
        Grid grid = of_file;
        const bool fits = matrix.size() == static_cast<std::size_t>(of_file.dimensions) &&
                          std::all_of(matrix.begin(), matrix.end(), [](std::size_t size) {
                              return size >= 1 && size <= longest_side;
                          });
        if (fits) {
            std::copy(matrix.begin(), matrix.end(), grid.size.begin());
        }
        return grid;
    }
};

} // namespace lsrecon
