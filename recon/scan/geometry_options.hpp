#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "scan/grid.hpp"

namespace lsrecon {

/// The place and grid of the image where they differ from the file's. Vectors have one entry a
/// dimension of the scan, or none to leave it as it is.
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
