#pragma once

#include <limits>
#include <string>
#include <vector>

#include "device/devices.hpp"
#include "engines/opencl/engines.hpp"
#include "engines/opencl/resources.hpp"
#include "engines/pieces.hpp"
#include "engines/split.hpp"
#include "engines/tuning.hpp"
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

/// True for voxels that Mirrored takes: a lattice of two rows or more.
bool can_mirror(const Voxels& voxels);

/// FHd at half of a lattice, and at the other half by x -> -x about its middle, where the phase of
/// every sample is the same with the other sign: a sine and a cosine serve two voxels. For rows of
/// SourceLayout::vectors.
///
/// The middle may lie between two voxels. Positions are therefore counted from it in halves of
/// voxels, whole numbers, and exp(i 2 pi k . middle) goes to the values.
struct Mirrored {
    Mirrored(const Resources& resources, const std::vector<Vec3>& trajectory, const Voxels& voxels,
             SourceLayout layout);

    PointsOnDevice samples;
    PointsOnDevice half; ///< whole rows; the n-th voxel and the n-th from the end are images
    Array phases;
};

/// The assignment of the points of a direct transform to work-items. Most variants have one point a
/// work-item and groups of 64.
struct Geometry {
    std::size_t group = 64; ///< work-items of a work-group at most
    std::size_t points_of_an_item = 1;
    std::size_t row_length = 0; ///< points that share work-items with no others; 0 for all points
    bool mirror = false; ///< every point also stands for its image by x -> -x
    std::string defines; ///< defines of the geometry, for the compiler

    std::size_t row_of(const Range& block) const;
    std::size_t items(const Range& block) const;
};

/// The geometry of kernels/tuned.cl, within what `plan` allows; cuts the plan to whole runs and
/// rows.
///
/// On GPUs a work-item has fewer points when several coils share it, so that its sums stay in
/// registers. Rows that would leave much of their work-items idle are not kept apart.
Geometry tuned_geometry(const Resources& resources, const ChosenParameters& parameters,
                        const PointsOnDevice& sources, const PointsOnDevice& points, bool mirror,
                        TransformPlan& plan);

} // namespace lsrecon::opencl
