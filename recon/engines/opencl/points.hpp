#pragma once

#include <limits>
#include <vector>

#include "engines/opencl/catalogue.hpp"
#include "engines/opencl/resources.hpp"
#include "engines/split.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::opencl {

/// Voxels or trajectory points as the direct kernels take them: in high and low parts
/// (engines/split.hpp), or in doubles.
class Points {
public:
    using Parts = std::array<SplitScale::Parts, 3>;
    virtual ~Points() = default;
    virtual std::size_t count() const = 0;
    virtual Vec3 at(std::size_t i) const = 0;
    virtual Parts parts(std::size_t i) const = 0;
    virtual bool has_low() const = 0;
    /// Points one after another that differ in x alone.
    virtual std::size_t row_length() const { return 1; }
    /// Most turns that their low parts add to a phase.
    virtual double largest_rest() const = 0;
};

/// Trajectory in cycles a voxel, from cycles per field of view.
class TrajectoryPoints : public Points {
public:
    TrajectoryPoints(const std::vector<Vec3>& trajectory, const Vec3& voxels_per_fov,
                     const SplitScale& scale)
        : trajectory_(trajectory), voxels_per_fov_(voxels_per_fov), scale_(scale) {}
    std::size_t count() const override { return trajectory_.size(); }
    Vec3 at(std::size_t m) const override;
    Parts parts(std::size_t m) const override;
    bool has_low() const override { return true; }
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
    Vec3 at(std::size_t n) const override { return voxels_.in_voxels(n); }
    Parts parts(std::size_t n) const override;
    bool has_low() const override { return !voxels_.on_lattice(); }
    std::size_t row_length() const override {
        return voxels_.on_lattice() ? voxels_.lattice_size()[0] : 1;
    }
    double largest_rest() const override {
        return voxels_.on_lattice() ? 0.0 : std::numeric_limits<double>::infinity();
    }

private:
    const Voxels& voxels_;
};

/// The same in the memory of a device: arrays of x, y and z, and of their low parts where there are
/// some.
struct PointsOnDevice {
    PointsOnDevice(const Resources& resources, const Points& points, SourceLayout layout);

    std::size_t count;
    bool has_low;
    std::size_t row_length;
    double largest_rest;
    Array positions;
};

} // namespace lsrecon::opencl
