// Splits coordinates into high and low parts, halves a lattice by the symmetry x -> -x, and chooses
// how many points a work-item computes.

#include "engines/opencl/points.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "engines/pieces.hpp"

namespace lsrecon::opencl {

namespace {

/// Units of low parts: turns, or radians.
double low_unit(SourceLayout layout) {
    return layout == SourceLayout::vectors ? 2 * pi : 1.0;
}

} // namespace

PhaseUnits::PhaseUnits(const SamplePoints& points, const Voxels& voxels)
    : off_resonance(off_resonance_of(points, voxels)) {
    if (off_resonance == nullptr || off_resonance->field.size() == 0 || points.count() == 0) {
        return;
    }
    const double latest = points.times->cwiseAbs().maxCoeff();
    time = latest > 0 ? 2 * latest : 1;
    extent = off_resonance->field.cwiseAbs().maxCoeff() * time;
    decay = off_resonance->r2star.size() > 0;
}

Points trajectory_points(const SamplePoints& points, const Vec3& voxels_per_fov,
                         const SplitScale& scale, double time_unit) {
    Points result{
        points.count(),
        [=](std::size_t m) -> Vec3 {
            const Vec3& k = points.positions[m];
            return {k[0] / voxels_per_fov[0], k[1] / voxels_per_fov[1], k[2] / voxels_per_fov[2]};
        },
        [=](double k) { return scale.positions(k); }, true, scale.largest_rest()};
    if (points.times != nullptr) {
        result.off = [=](std::size_t m) -> std::array<double, 2> {
            const double t = (*points.times)(static_cast<Eigen::Index>(m)) / time_unit;
            return {t, t};
        };
    }
    return result;
}

/// Lists voxels in units of voxels. On a lattice these are whole numbers, which need no low parts.
Points voxel_points(const Voxels& voxels, double time_unit) {
    const bool on_lattice = voxels.on_lattice();
    const bool has_off = voxels.off_resonance() != nullptr;
    Points result{voxels.count(),
                  [&voxels](std::size_t n) { return voxels.in_voxels(n); },
                  &SplitScale::voxel,
                  !on_lattice,
                  on_lattice && !has_off ? 0.0 : std::numeric_limits<double>::infinity(),
                  on_lattice ? voxels.lattice_size()[0] : 1};
    if (has_off) {
        result.off = [&voxels, time_unit](std::size_t n) -> std::array<double, 2> {
            const Complex rate = time_unit * voxels.off_resonance()->rate(n);
            return {rate.imag() / (2 * pi), rate.real()};
        };
    }
    return result;
}

/// Splits and uploads some points at a time, so that the host never holds the parts of all.
PointsOnDevice::PointsOnDevice(const Resources& resources, const Points& points,
                               SourceLayout layout)
    : count(points.count), has_low(points.has_low && resources.precision == Precision::float32),
      has_off(points.off != nullptr), row_length(points.row_length),
      largest_rest(points.largest_rest),
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
            const auto put = [&](double value, std::size_t high, std::size_t low) {
                const SplitScale::Parts parts = doubles ? SplitScale::Parts{} : points.split(value);
                fields[high][i] = doubles ? value : parts.high;
                fields[low][i] = low_unit(layout) * parts.low;
            };
            const Vec3 at = points.at(p);
            for (std::size_t d = 0; d < 3; ++d) {
                put(at[d], d, 3 + d);
            }
            if (has_off) {
                const auto [whole, rate] = points.off(p);
                put(whole, first_off, first_off + 1);
                fields[first_off + 2][i] = rate;
            }
        }
        for (std::size_t f = 0; f < first_off + (has_off ? 3 : 0); ++f) {
            resources.write(fields[f], positions, f * count + range.first);
        }
    }
}

namespace {

constexpr double two_pi = 2 * pi;

/// The middle of a lattice, in halves of voxels.
Vec3 middle_of(const Voxels& voxels) {
    Vec3 middle{};
    for (std::size_t d = 0; d < 3; ++d) {
        middle[d] = static_cast<double>(2 * voxels.lattice_first()[d]) +
                    static_cast<double>(voxels.lattice_size()[d] - 1);
    }
    return middle;
}

/// The first half of a lattice, whole rows of it, in halves of voxels from its middle. Voxel n and
/// the n-th from the end are each other's image.
Points first_half(const Voxels& voxels) {
    const GridSize& size = voxels.lattice_size();
    return {divide_up(size[1] * size[2], 2) * size[0],
            [&voxels, middle = middle_of(voxels)](std::size_t n) -> Vec3 {
                const Vec3 u = voxels.in_voxels(n);
                return {2 * u[0] - middle[0], 2 * u[1] - middle[1], 2 * u[2] - middle[2]};
            },
            &SplitScale::voxel,
            false,
            0,
            size[0]};
}

Vec3 halves_of_voxels(const Voxels& voxels) {
    const Vec3& per_fov = voxels.per_fov();
    return {2 * per_fov[0], 2 * per_fov[1], 2 * per_fov[2]};
}

} // namespace

bool can_mirror(const Voxels& voxels) {
    return voxels.on_lattice() && !voxels.off_resonance() &&
           voxels.lattice_size()[1] * voxels.lattice_size()[2] > 1;
}

Mirrored::Mirrored(const Resources& resources, const std::vector<Vec3>& positions,
                   const Voxels& voxels, SourceLayout layout)
    : samples(resources,
              trajectory_points(positions, halves_of_voxels(voxels),
                                SplitScale(2 * voxels.extent_in_voxels())),
              layout),
      half(resources, first_half(voxels), layout),
      phases(resources.device.zeros(positions.size(), {true, resources.wide()})) {
    const Vec3 middle = middle_of(voxels);
    const Vec3 per_fov = halves_of_voxels(voxels);
    ComplexVector values(static_cast<Eigen::Index>(positions.size()));
    for (std::size_t m = 0; m < positions.size(); ++m) {
        double turns = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            turns += positions[m][d] / per_fov[d] * middle[d];
        }
        values(static_cast<Eigen::Index>(m)) = std::polar(1.0, two_pi * turns);
    }
    resources.device.upload(values, phases);
}

namespace {

/// SMALL_REST of kernels/tuned.cl.
constexpr double most_turns_of_a_small_rest = 1.0 / 32;
/// Bytes of the sums of a work-item, points times coils.
constexpr std::size_t most_bytes_of_sums_on_a_gpu = 64;
/// Few points are better spread over a GPU than kept together.
constexpr std::size_t fewest_items_of_a_unit = 512;

/// Halves the points of a work-item on GPUs until its sums stay in registers and there are enough
/// work-items for every compute unit.
std::size_t points_of_an_item(const DeviceInfo& device, std::size_t wanted, std::size_t bytes,
                              std::size_t points) {
    const auto too_many = [&] {
        return wanted * bytes > most_bytes_of_sums_on_a_gpu ||
               points < wanted * fewest_items_of_a_unit * device.compute_units;
    };
    while (device.type != "cpu" && wanted > 1 && too_many()) {
        wanted /= 2;
    }
    return wanted;
}

/// Separate rows save about a fifth of the work of a pair, so up to a fifth may be idle.
bool keep_rows_apart(std::size_t row_length, std::size_t of_an_item, std::size_t most_points) {
    const std::size_t work_items = round_up(row_length, of_an_item);
    return row_length > 1 && row_length <= most_points && 4 * work_items <= 5 * row_length;
}

} // namespace

std::size_t Geometry::row_of(const Range& block) const {
    return row_length == 0 ? block.count : row_length;
}

std::size_t Geometry::items(const Range& block) const {
    return block.count / row_of(block) * divide_up(row_of(block), points_of_an_item);
}

Geometry tuned_geometry(const Resources& resources, const ChosenParameters& parameters,
                        const PointsOnDevice& sources, const PointsOnDevice& points, bool mirror,
                        TransformPlan& plan) {
    const DeviceInfo& device = resources.queue.info();
    const std::size_t number_bytes = bytes_of(resources.precision);
    Geometry geometry;
    geometry.mirror = mirror;
    ChosenParameters compiled = parameters;
    const auto value = [&](const char* name) {
        return static_cast<std::size_t>(parameters.values.at(name));
    };
    geometry.group = value("GROUP");
    geometry.points_of_an_item =
        points_of_an_item(device, value("VOXELS"),
                          (mirror ? 2 : 1) * plan.coils_per_bundle * number_bytes, points.count);
    compiled.values["VOXELS"] = static_cast<int>(geometry.points_of_an_item);

    const std::size_t row = points.row_length;
    if (keep_rows_apart(row, geometry.points_of_an_item, plan.points_per_block)) {
        geometry.row_length = row;
        plan.points_per_block = round_up(plan.points_per_block, row);
    }
    const std::size_t position = sources.has_off ? 10 : 6;
    const std::size_t source_bytes =
        round_up(position + 2 * plan.coils_per_bundle, 4) * number_bytes;
    const std::size_t sources_of_a_chunk =
        std::min(device.constant_bytes / source_bytes, value("CHUNK"));
    plan.sources_per_chunk =
        std::max<std::size_t>(1, sources_of_a_chunk / sources_of_a_run) * sources_of_a_run;

    const double rest = sources.largest_rest + points.largest_rest;
    geometry.defines = text(compiled.defines(), " -DROWS=", geometry.row_length > 0 ? 1 : 0,
                            " -DMIRROR=", mirror ? 1 : 0,
                            " -DSMALL_REST=", rest <= most_turns_of_a_small_rest ? 1 : 0,
                            device.type == "cpu" ? " -DUNROLL_POINTS=1" : "");
    return geometry;
}

} // namespace lsrecon::opencl
