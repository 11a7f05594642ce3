#pragma once

#include <limits>
#include <vector>

#include "backend/opencl/catalogue.hpp"
#include "plan/chunks.hpp"
#include "plan/split.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::opencl {

/// Voxels or trajectory points as the kernels take them: high and low parts (plan/split.hpp).
class Points {
public:
    struct Parts {
        std::array<float, 3> high;
        std::array<float, 3> low;
    };
    virtual ~Points() = default;
    virtual std::size_t count() const = 0;
    virtual bool has_low() const = 0;
    virtual Parts parts(std::size_t i) const = 0;
    /// Points one after another that differ in x alone.
    virtual std::size_t row_length() const { return 1; }
    /// Most turns that their low parts add to a phase.
    virtual double largest_rest() const = 0;

    /// Arrays of block.count floats: high x y z, and low x y z when there are low parts.
    std::vector<float> as_arrays(const Range& block, SourceLayout layout) const;
};

/// Trajectory in cycles a voxel, from cycles per field of view.
class TrajectoryPoints : public Points {
public:
    TrajectoryPoints(const std::vector<Vec3>& trajectory, const Vec3& voxels_per_fov,
                     const SplitScale& scale)
        : trajectory_(trajectory), voxels_per_fov_(voxels_per_fov), scale_(scale) {}
    std::size_t count() const override { return trajectory_.size(); }
    bool has_low() const override { return true; }
    Parts parts(std::size_t m) const override;
    double largest_rest() const override { return scale_.largest_rest(); }

private:
    const std::vector<Vec3>& trajectory_;
    Vec3 voxels_per_fov_;
    SplitScale scale_;
};

class VoxelPoints : public Points {
public:
    explicit VoxelPoints(const Voxels& voxels) : voxels_(voxels) {}
    std::size_t count() const override { return voxels_.count(); }
    bool has_low() const override { return !voxels_.on_lattice(); }
    Parts parts(std::size_t n) const override;
    std::size_t row_length() const override {
        return voxels_.on_lattice() ? voxels_.lattice_size()[0] : 1;
    }
    double largest_rest() const override {
        return voxels_.on_lattice() ? 0.0 : std::numeric_limits<double>::infinity();
    }

private:
    const Voxels& voxels_;
};

/// Writes chunks of sources in the layout that a variant reads. The last group of coils may be
/// smaller than the kernel's: its missing coils are zeros.
class SourcePacker {
public:
    SourcePacker(const Points& sources, const CoilMatrix& values, const Range& group,
                 const TransformPlan& plan, SourceLayout layout, bool real_values)
        : sources_(sources), values_(values), group_(group), plan_(plan), layout_(layout),
          real_values_(real_values) {}

    const Range& group() const { return group_; }
    SourceLayout layout() const { return layout_; }
    std::size_t coils_in_kernel() const { return plan_.coils_per_group; }
    std::size_t sources_per_chunk() const { return plan_.sources_per_chunk; }

    /// high x y z, low x y z and the values of every source of the chunk. Returns how many sources
    /// it packed: more than the chunk has when the layout asks for whole runs.
    std::size_t pack(const Range& chunk, std::vector<float>& packed) const;

private:
    const Points& sources_;
    const CoilMatrix& values_;
    Range group_;
    TransformPlan plan_;
    SourceLayout layout_;
    bool real_values_;
};

} // namespace lsrecon::opencl
