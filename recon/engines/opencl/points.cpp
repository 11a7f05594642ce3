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

namespace {

constexpr double two_pi = 2 * pi;

/// The first half of a lattice, whole rows of it, in halves of voxels from its middle. Voxel n and
/// the n-th from the end are each other's image.
class FirstHalf : public Points {
public:
    explicit FirstHalf(const Voxels& voxels) : voxels_(voxels) {
        const std::array<std::size_t, 3>& size = voxels.lattice_size();
        for (std::size_t d = 0; d < 3; ++d) {
            middle_[d] = static_cast<double>(2 * voxels.lattice_first()[d]) +
                         static_cast<double>(size[d] - 1);
        }
        count_ = divide_up(size[1] * size[2], 2) * size[0];
    }

    std::size_t count() const override { return count_; }
    bool has_low() const override { return false; }
    Vec3 at(std::size_t n) const override {
        const Vec3 u = voxels_.in_voxels(n);
        return {2 * u[0] - middle_[0], 2 * u[1] - middle_[1], 2 * u[2] - middle_[2]};
    }
    Parts parts(std::size_t n) const override {
        const Vec3 u = at(n);
        return {SplitScale::voxel(u[0]), SplitScale::voxel(u[1]), SplitScale::voxel(u[2])};
    }
    std::size_t row_length() const override { return voxels_.lattice_size()[0]; }
    double largest_rest() const override { return 0; }

    /// The middle of the lattice, in halves of voxels.
    const Vec3& middle() const { return middle_; }

private:
    const Voxels& voxels_;
    Vec3 middle_{};
    std::size_t count_;
};

Vec3 halves_of_voxels(const Voxels& voxels) {
    const Vec3& per_fov = voxels.per_fov();
    return {2 * per_fov[0], 2 * per_fov[1], 2 * per_fov[2]};
}

} // namespace

bool can_mirror(const Voxels& voxels) {
    return voxels.on_lattice() && !voxels.off_resonance() &&
           voxels.lattice_size()[1] * voxels.lattice_size()[2] > 1;
}

Mirrored::Mirrored(const Resources& resources, const std::vector<Vec3>& trajectory,
                   const Voxels& voxels, SourceLayout layout)
    : samples(resources,
              TrajectoryPoints(trajectory, halves_of_voxels(voxels),
                               SplitScale(2 * voxels.extent_in_voxels())),
              layout),
      half(resources, FirstHalf(voxels), layout),
      phases(resources.device.zeros(trajectory.size(), {true, resources.wide()})) {
    const Vec3 middle = FirstHalf(voxels).middle();
    const Vec3 per_fov = halves_of_voxels(voxels);
    ComplexVector values(static_cast<Eigen::Index>(trajectory.size()));
    for (std::size_t m = 0; m < trajectory.size(); ++m) {
        double turns = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            turns += trajectory[m][d] / per_fov[d] * middle[d];
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
    const std::size_t places = round_up(row_length, of_an_item);
    return row_length > 1 && row_length <= most_points && 4 * places <= 5 * row_length;
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
