#pragma once

#include <limits>
#include <vector>

#include "engines/opencl/engines.hpp"
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
    /// The off-resonance of a point: the field or the time, in units whose product is turns and
    /// whose sizes are those of positions and of the trajectory, and in the same units the rate of
    /// decay or the time.
    struct Off {
        SplitScale::Parts parts;
        double whole;
        double rate;
    };
    virtual bool has_off() const { return false; }
    virtual Off off(std::size_t) const { return {}; }
    /// Points one after another that differ in x alone.
    virtual std::size_t row_length() const { return 1; }
    /// Most turns that their low parts add to a phase.
    virtual double largest_rest() const = 0;
};

/// The units of times and fields with off-resonance.
struct OffUnits {
    /// Times up to half a unit, as the trajectory is up to half a cycle a voxel.
    OffUnits(const SamplePoints& points, const Voxels& voxels);

    const OffResonance* off_resonance; ///< null without
    double time = 1; ///< s
    double extent = 0; ///< largest |f| in its unit, 1 / time
    bool decay = false;
};

/// Trajectory in cycles a voxel, from cycles per field of view.
class TrajectoryPoints : public Points {
public:
    TrajectoryPoints(const SamplePoints& points, const Vec3& voxels_per_fov,
                     const SplitScale& scale, double time_unit = 1)
        : points_(points), voxels_per_fov_(voxels_per_fov), scale_(scale), time_unit_(time_unit) {}
    std::size_t count() const override { return points_.count(); }
    Vec3 at(std::size_t m) const override;
    Parts parts(std::size_t m) const override;
    bool has_off() const override { return points_.times != nullptr; }
    Off off(std::size_t m) const override;
    bool has_low() const override { return true; }
    double largest_rest() const override { return scale_.largest_rest(); }

private:
    SamplePoints points_;
    Vec3 voxels_per_fov_;
    SplitScale scale_;
    double time_unit_;
};

class VoxelPoints : public Points {
public:
    explicit VoxelPoints(const Voxels& voxels, double time_unit = 1)
        : voxels_(voxels), time_unit_(time_unit) {}
    std::size_t count() const override { return voxels_.count(); }
    Vec3 at(std::size_t n) const override { return voxels_.in_voxels(n); }
    Parts parts(std::size_t n) const override;
    bool has_low() const override { return !voxels_.on_lattice(); }
    bool has_off() const override { return voxels_.off_resonance() != nullptr; }
    Off off(std::size_t n) const override;
    std::size_t row_length() const override {
        return voxels_.on_lattice() ? voxels_.lattice_size()[0] : 1;
    }
    double largest_rest() const override {
        return voxels_.on_lattice() && !has_off() ? 0.0 : std::numeric_limits<double>::infinity();
    }

private:
    const Voxels& voxels_;
    double time_unit_;
};

/// Points in the memory of a device: arrays of x, y and z, of their low parts where there are some,
/// and with off-resonance of its high and low parts and rate.
struct PointsOnDevice {
    PointsOnDevice(const Resources& resources, const Points& points, SourceLayout layout);

    std::size_t count;
    bool has_low;
    bool has_off;
    std::size_t row_length;
    double largest_rest;
    Array positions;
};

} // namespace lsrecon::opencl
