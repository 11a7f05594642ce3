#include "engines/opencl/points.hpp"

#include "engines/chunks.hpp"

namespace lsrecon::opencl {

namespace {

/// Units of low parts: turns, or radians.
double low_unit(SourceLayout layout) {
    return layout == SourceLayout::vectors ? 2 * pi : 1.0;
}

} // namespace

OffUnits::OffUnits(const SamplePoints& points, const Voxels& voxels)
    : off_resonance(off_resonance_of(points, voxels)) {
    if (off_resonance == nullptr || off_resonance->field.size() == 0 || points.count() == 0) {
        return;
    }
    const double latest = points.times->cwiseAbs().maxCoeff();
    time = latest > 0 ? 2 * latest : 1;
    extent = off_resonance->field.cwiseAbs().maxCoeff() * time;
    decay = off_resonance->r2star.size() > 0;
}

Vec3 TrajectoryPoints::at(std::size_t m) const {
    const Vec3& k = points_.trajectory[m];
    return {k[0] / voxels_per_fov_[0], k[1] / voxels_per_fov_[1], k[2] / voxels_per_fov_[2]};
}

Points::Parts TrajectoryPoints::parts(std::size_t m) const {
    const Vec3 k = at(m);
    return {scale_.trajectory(k[0]), scale_.trajectory(k[1]), scale_.trajectory(k[2])};
}

Points::Off TrajectoryPoints::off(std::size_t m) const {
    const double t = (*points_.times)(static_cast<Eigen::Index>(m)) / time_unit_;
    return {scale_.trajectory(t), t, t};
}

Points::Parts VoxelPoints::parts(std::size_t n) const {
    const Vec3 u = at(n);
    return {SplitScale::voxel(u[0]), SplitScale::voxel(u[1]), SplitScale::voxel(u[2])};
}

Points::Off VoxelPoints::off(std::size_t n) const {
    const Complex rate = time_unit_ * voxels_.off_resonance()->rate(n);
    const double turns = rate.imag() / (2 * pi);
    return {SplitScale::voxel(turns), turns, rate.real()};
}

PointsOnDevice::PointsOnDevice(const Resources& resources, const Points& points,
                               SourceLayout layout)
    : count(points.count()), has_low(points.has_low() && resources.precision == Precision::float32),
      has_off(points.has_off()), row_length(points.row_length()),
      largest_rest(points.largest_rest()),
      positions(resources.zeros(((has_low ? 6 : 3) + (has_off ? 3 : 0)) * count)) {
    constexpr std::size_t points_at_a_time = std::size_t(1) << 18;
    const bool doubles = resources.precision == Precision::float64;
    const std::size_t first_off = has_low ? 6 : 3;
    for (const Range& range : split_into_ranges(count, points_at_a_time)) {
        std::array<std::vector<double>, 9> fields;
        for (std::vector<double>& field : fields) {
            field.resize(range.count);
        }
        for (std::size_t i = 0; i < range.count; ++i) {
            const std::size_t p = range.first + i;
            const Vec3 at = doubles ? points.at(p) : Vec3{};
            const Points::Parts parts = doubles ? Points::Parts{} : points.parts(p);
            for (std::size_t d = 0; d < 3; ++d) {
                fields[d][i] = doubles ? at[d] : parts[d].high;
                fields[3 + d][i] = low_unit(layout) * parts[d].low;
            }
            if (has_off) {
                const Points::Off off = points.off(p);
                fields[first_off][i] = doubles ? off.whole : off.parts.high;
                fields[first_off + 1][i] = doubles ? 0 : low_unit(layout) * off.parts.low;
                fields[first_off + 2][i] = off.rate;
            }
        }
        for (std::size_t f = 0; f < first_off + (has_off ? 3 : 0); ++f) {
            resources.write(fields[f], positions, f * count + range.first);
        }
    }
}

} // namespace lsrecon::opencl
