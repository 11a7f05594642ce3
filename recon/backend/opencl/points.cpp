#include "backend/opencl/points.hpp"

#include "base/tolerance.hpp"

namespace lsrecon::opencl {

namespace {

/// Units of low parts: turns, or radians.
float low_unit(SourceLayout layout) {
    return layout == SourceLayout::vectors ? 6.28318530717958647692F : 1.0F;
}

} // namespace

std::vector<float> Points::as_arrays(const Range& block, SourceLayout layout) const {
    std::vector<float> arrays((has_low() ? 6 : 3) * block.count);
    for (std::size_t i = 0; i < block.count; ++i) {
        const Parts point = parts(block.first + i);
        for (std::size_t d = 0; d < 3; ++d) {
            arrays[d * block.count + i] = point.high[d];
            if (has_low()) {
                arrays[(3 + d) * block.count + i] = low_unit(layout) * point.low[d];
            }
        }
    }
    return arrays;
}

Points::Parts TrajectoryPoints::parts(std::size_t m) const {
    Parts result{};
    for (std::size_t d = 0; d < 3; ++d) {
        const SplitScale::Parts k = scale_.trajectory(trajectory_[m][d] / voxels_per_fov_[d]);
        result.high[d] = k.high;
        result.low[d] = k.low;
    }
    return result;
}

Points::Parts VoxelPoints::parts(std::size_t n) const {
    const Vec3 at = voxels_.in_voxels(n);
    Parts result{};
    for (std::size_t d = 0; d < 3; ++d) {
        const SplitScale::Parts u = SplitScale::voxel(at[d]);
        result.high[d] = u.high;
        result.low[d] = u.low;
    }
    return result;
}

std::size_t SourcePacker::pack(const Range& chunk, std::vector<float>& packed) const {
    const std::size_t values = real_values_ ? 1 : 2 * plan_.coils_per_group;
    const bool arrays = layout_ == SourceLayout::arrays;
    const bool vectors = layout_ == SourceLayout::vectors;
    const std::size_t fields = vectors ? round_up(6 + values, 4) : 6 + values;
    const std::size_t count = vectors ? round_up(chunk.count, tolerance::run) : chunk.count;
    const std::size_t source_step = arrays ? 1 : fields;
    const std::size_t field_step = arrays ? chunk.count : 1;
    packed.assign(fields * count, 0.0F);
    for (std::size_t i = 0; i < chunk.count; ++i) {
        float* const source = packed.data() + i * source_step;
        const Points::Parts at = sources_.parts(chunk.first + i);
        for (std::size_t d = 0; d < 3; ++d) {
            source[d * field_step] = at.high[d];
            source[(3 + d) * field_step] = low_unit(layout_) * at.low[d];
        }
        for (std::size_t c = 0; c < group_.count; ++c) {
            const Complex value = values_(static_cast<Eigen::Index>(group_.first + c),
                                          static_cast<Eigen::Index>(chunk.first + i));
            if (real_values_) {
                source[6 * field_step] = static_cast<float>(value.real());
            } else {
                source[(6 + 2 * c) * field_step] = static_cast<float>(value.real());
                source[(7 + 2 * c) * field_step] = static_cast<float>(value.imag());
            }
        }
    }
    return count;
}

} // namespace lsrecon::opencl
