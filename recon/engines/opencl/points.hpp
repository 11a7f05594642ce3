// Packs voxels and trajectory points for the direct-sum kernels, in doubles or as pairs of floats,
// halves a lattice by its mirror symmetry, and assigns the points to work-items.

#pragma once

#include <functional>
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
struct Points {
    std::size_t count;
    std::function<Vec3(std::size_t)> at; ///< in voxels, or in cycles a voxel
    std::function<SplitScale::Parts(double)> split; ///< a coordinate in its parts
    bool has_low;
    double largest_rest; ///< most turns that low parts add to a phase
    std::size_t row_length = 1; ///< points one after another that differ in x alone
    /// The off-resonance of a point, or none: the field or the time, in units whose product is
    /// turns and whose sizes are those of positions and of the trajectory, and in the same units
    /// the rate of decay or the time.
    std::function<std::array<double, 2>(std::size_t)> off = {};
};

/// The units of times and fields with off-resonance.
struct PhaseUnits {
    /// Times up to half a unit, as the trajectory is up to half a cycle a voxel.
    PhaseUnits(const SamplePoints& points, const Voxels& voxels);

    const OffResonance* off_resonance; ///< null without
    double time = 1; ///< s
    double extent = 0; ///< largest |f| in its unit, 1 / time
    bool decay = false;
};

/// The trajectory in cycles a voxel. It must outlive them, as voxels must theirs.
Points trajectory_points(const SamplePoints& points, const Vec3& voxels_per_fov,
                         const SplitScale& scale, double time_unit = 1);
Points voxel_points(const Voxels& voxels, double time_unit = 1);

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
    Mirrored(const Resources& resources, const std::vector<Vec3>& positions, const Voxels& voxels,
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
