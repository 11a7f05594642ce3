#include "engines/opencl/points.hpp"

#include "engines/chunks.hpp"

namespace lsrecon::opencl {

namespace {

/// Units of low parts: turns, or radians.
double low_unit(SourceLayout layout) {
    return layout == SourceLayout::vectors ? 2 * pi : 1.0;
}

} // namespace

Vec3 TrajectoryPoints::at(std::size_t m) const {
    const Vec3& k = trajectory_[m];
    return {k[0] / voxels_per_fov_[0], k[1] / voxels_per_fov_[1], k[2] / voxels_per_fov_[2]};
}

Points::Parts TrajectoryPoints::parts(std::size_t m) const {
    const Vec3 k = at(m);
    return {scale_.trajectory(k[0]), scale_.trajectory(k[1]), scale_.trajectory(k[2])};
}

Points::Parts VoxelPoints::parts(std::size_t n) const {
    const Vec3 u = at(n);
    return {SplitScale::voxel(u[0]), SplitScale::voxel(u[1]), SplitScale::voxel(u[2])};
}

PointsOnDevice::PointsOnDevice(const Resources& resources, const Points& points,
                               SourceLayout layout)
    : count(points.count()), has_low(points.has_low() && resources.precision == Precision::float32),
      row_length(points.row_length()), largest_rest(points.largest_rest()),
      positions(resources.zeros((has_low ? 6 : 3) * count)) {
    constexpr std::size_t points_at_a_time = std::size_t(1) << 18;
    for (const Range& range : split_into_ranges(count, points_at_a_time)) {
        std::array<std::vector<double>, 6> fields;
        for (std::vector<double>& field : fields) {
            field.resize(range.count);
        }
        for (std::size_t i = 0; i < range.count; ++i) {
            const std::size_t p = range.first + i;
            if (resources.precision == Precision::float64) {
                const Vec3 at = points.at(p);
                for (std::size_t d = 0; d < 3; ++d) {
                    fields[d][i] = at[d];
                }
                continue;
            }
            const Points::Parts parts = points.parts(p);
            for (std::size_t d = 0; d < 3; ++d) {
                fields[d][i] = parts[d].high;
                fields[3 + d][i] = low_unit(layout) * parts[d].low;
            }
        }
        for (std::size_t f = 0; f < (has_low ? 6 : 3); ++f) {
            resources.write(fields[f], positions, f * count + range.first);
        }
    }
}

} // namespace lsrecon::opencl
