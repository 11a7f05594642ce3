#include <cmath>

#include "simulate/cone_spiral.hpp"
#include "simulate/trajectory_parts.hpp"

namespace lsrecon {

namespace {

constexpr double voxels_per_interleaf = 8; ///< default: 16 interleaves for a matrix of 128

std::size_t interleaves(const TrajectoryOptions& options) {
    return options.readouts > 0 ? options.readouts
                                : at_least_one(widest(options.grid) / voxels_per_interleaf);
}

ConeSpiral spiral_of(const TrajectoryOptions& options) {
    ConeSpiral arms;
    arms.radius = widest(options.grid) / 2;
    arms.pitch = options.undersampling;
    arms.interleaves = interleaves(options);
    arms.samples = options.samples_per_readout;
    return arms;
}

std::vector<Vec3> unit_spiral(const TrajectoryOptions& options) {
    const ConeSpiral plane = spiral_of(options);
    check_total(plane.total_samples());
    std::vector<Vec3> unit;
    append_spiral(plane, unit);
    return unit;
}

} // namespace

Readouts spiral(const TrajectoryOptions& options) {
    std::vector<Vec3> k = unit_spiral(options);
    for (Vec3& position : k) {
        position = stretch(position, options.grid);
    }
    return of_equal_length(std::move(k), interleaves(options));
}

/// The spirals of a plane, repeated in every plane of kz.
Readouts stack_of_spirals(const TrajectoryOptions& options) {
    TrajectoryOptions in_plane = options;
    in_plane.grid.size[2] = 1;
    const std::vector<Vec3> unit = unit_spiral(in_plane);
    const std::size_t planes = options.grid.size[2];
    check_total(static_cast<double>(unit.size()) * static_cast<double>(planes));
    std::vector<Vec3> k;
    k.reserve(unit.size() * planes);
    for (std::size_t plane = 0; plane < planes; ++plane) {
        for (const Vec3& position : unit) {
            k.push_back(stretch({position[0], position[1], on_line(plane, planes)}, options.grid));
        }
    }
    return of_equal_length(std::move(k), interleaves(in_plane) * planes);
}

/// Irarrazabal and Nishimura 1995, MRM 33:656: spirals on cones whose polar angles are at most one
/// cycle per field of view apart at the edge. A narrow cone has fewer interleaves, and each cone is
/// turned by the golden angle so that the arms of neighbours do not line up.
Readouts cones(const TrajectoryOptions& options) {
    const std::size_t count = at_least_one(pi / 2 * widest(options.grid));
    const double equator = static_cast<double>(interleaves(options));
    Readouts result;
    std::vector<Vec3>& k = result.k;
    for (std::size_t i = 0; i < count; ++i) {
        ConeSpiral cone = spiral_of(options);
        cone.polar = pi * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
        cone.interleaves = at_least_one(equator * std::sin(cone.polar));
        cone.first_azimuth = pi * (3 - std::sqrt(5.0)) * static_cast<double>(i);
        check_total(static_cast<double>(k.size()) + cone.total_samples());
        const std::size_t before = k.size();
        append_spiral(cone, k);
        for (std::size_t arm = 1; arm <= cone.interleaves; ++arm) {
            result.ends.push_back(before + arm * ((k.size() - before) / cone.interleaves));
        }
    }
    for (Vec3& position : k) {
        position = stretch(position, options.grid);
    }
    return result;
}

} // namespace lsrecon
