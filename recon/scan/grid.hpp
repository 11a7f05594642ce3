#pragma once

#include <cstddef>
#include <optional>

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

} // namespace lsrecon
