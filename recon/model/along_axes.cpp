#include "model/along_axes.hpp"

#include <cmath>

#include "scan/directions.hpp"

namespace lsrecon {

namespace {

/// Which axis becomes this one, and whether from its other end.
struct AxisMap {
    std::size_t axis = 0;
    bool reversed = false;
};

/// Nothing where the axes are not those of `like`, or are so already.
std::optional<std::array<AxisMap, 3>> axis_maps_of(const Grid& from, const Grid& like) {
    if (!from.directions || !like.directions) {
        return std::nullopt;
    }
    std::array<AxisMap, 3> axes;
    bool same = true;
    for (std::size_t d = 0; d < 3; ++d) {
        bool found = false;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double cosine = dot((*from.directions)[axis], (*like.directions)[d]);
            if (std::abs(cosine) >= smallest_cosine) {
                axes[d] = {axis, cosine < 0};
                found = true;
            }
        }
        if (!found) {
            return std::nullopt;
        }
        same = same && axes[d].axis == d && !axes[d].reversed;
    }
    const bool other_plane = from.dimensions == 2 && axes[2].axis != 2;
    return same || other_plane ? std::nullopt : std::optional(axes);
}

/// The centre is that of voxel floor(N/2), from either end.
Grid mapped(const Grid& from, const std::array<AxisMap, 3>& axes) {
    Grid grid = from;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto [axis, reversed] = axes[d];
        grid.size[d] = from.size[axis];
        grid.fov_mm[d] = from.fov_mm[axis];
        const double even = grid.size[d] % 2 == 0 ? 1 : 0;
        const double voxel = grid.fov_mm[d] / static_cast<double>(grid.size[d]);
        for (std::size_t i = 0; reversed && i < 3; ++i) {
            const double along = (*from.directions)[axis][i];
            (*grid.directions)[d][i] = -along;
            if (grid.position) {
                (*grid.position)[i] -= even * voxel * along;
            }
        }
        if (!reversed) {
            (*grid.directions)[d] = (*from.directions)[axis];
        }
    }
    return grid;
}

} // namespace

void lay_along_axes_of(const Grid& like, Grid& grid, CoilRows& volumes) {
    const auto axes = axis_maps_of(grid, like);
    if (!axes) {
        return;
    }
    const Grid from = grid;
    grid = mapped(from, *axes);
    const std::array<std::size_t, 3> strides{1, from.size[0], from.size[0] * from.size[1]};
    const auto old_index = [&](const std::array<std::size_t, 3>& at) {
        std::size_t index = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const auto [axis, reversed] = (*axes)[d];
            index += strides[axis] * (reversed ? grid.size[d] - 1 - at[d] : at[d]);
        }
        return static_cast<Eigen::Index>(index);
    };
    CoilRows::Floats result(static_cast<Eigen::Index>(volumes.rows()),
                            static_cast<Eigen::Index>(grid.voxels()));
    volumes.visit([&](const auto& values) {
        Eigen::Index n = 0;
        for (std::size_t z = 0; z < grid.size[2]; ++z) {
            for (std::size_t y = 0; y < grid.size[1]; ++y) {
                for (std::size_t x = 0; x < grid.size[0]; ++x, ++n) {
                    result.col(n) =
                        values.col(old_index({x, y, z})).template cast<std::complex<float>>();
                }
            }
        }
    });
    volumes = CoilRows(std::move(result));
}

} // namespace lsrecon
