// Calibrates the frames of a slice one by one or together by how they fill the centre of k-space,
// and widens the field of view around an object that reaches beyond it.

#include "model/slice_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "model/calibration.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

namespace {

/// The largest number of frames of a slice that are calibrated: enough to see what moves.
constexpr std::size_t most_calibrations = 8;
/// Samples a voxel of the calibration's grid that are enough for frames together, where they fill
/// it: several times those of spokes at the Nyquist rate.
constexpr std::size_t enough_samples = 16;
/// The energy that a joint calibration of several frames may leave, as a share, where one frame
/// could be calibrated alone: pieces of one scan left 5 % at an SNR of 3 and 2 % where 6 mm moved,
/// contrasts 30 to 60 %.
constexpr double of_one_image = 0.1;
/// The limit of this energy where no frame could be calibrated alone: maps were right with 63 %, of
/// contrasts whose phases differ, and wrong with 97 %, of frames of either sign.
constexpr double of_like_images = 0.75;

/// Concatenates one or more frames into one, without times, which calibration does not use; a frame
/// without phi or weights gets ones where another has them.
Frame joined(const std::vector<Frame>& frames) {
    const auto any = [&](const auto& has) {
        return std::any_of(frames.begin(), frames.end(), has);
    };
    std::size_t samples = 0;
    for (const Frame& frame : frames) {
        samples += frame.trajectory->samples();
    }
    const auto all = static_cast<Eigen::Index>(samples);
    auto trajectory = std::make_shared<Trajectory>();
    if (any([](const Frame& frame) { return frame.trajectory->phi.size() > 0; })) {
        trajectory->phi = ComplexVector::Ones(all);
    }
    if (any([](const Frame& frame) { return frame.trajectory->weights.size() > 0; })) {
        trajectory->weights = RealVector::Ones(all);
    }
    const bool doubles =
        any([](const Frame& frame) { return frame.samples.precision() == Precision::float64; });
    CoilRows rows(frames.front().samples.rows(), samples,
                  doubles ? Precision::float64 : Precision::float32);
    Eigen::Index first = 0;
    for (const Frame& frame : frames) {
        const Trajectory& one = *frame.trajectory;
        const auto count = static_cast<Eigen::Index>(one.samples());
        trajectory->positions.insert(trajectory->positions.end(), one.positions.begin(),
                                     one.positions.end());
        if (one.phi.size() > 0) {
            trajectory->phi.segment(first, count) = one.phi;
        }
        if (one.weights.size() > 0) {
            trajectory->weights.segment(first, count) = one.weights;
        }
        rows.visit([&](auto& joined) {
            using Value = typename std::decay_t<decltype(joined)>::Scalar;
            frame.samples.visit([&](const auto& values) {
                joined.middleCols(first, count) = values.template cast<Value>();
            });
        });
        first += count;
    }
    return {trajectory, std::move(rows), frames.front().label, frames.front().position};
}

/// All of them once, so that the first few lie all over.
std::vector<std::size_t> spread(const std::vector<std::size_t>& frames) {
    const std::size_t count = frames.size();
    auto step = static_cast<std::size_t>(0.618 * static_cast<double>(count)) + 1;
    while (std::gcd(step, count) != 1) {
        ++step;
    }
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(frames[i * step % count]);
    }
    return result;
}

/// The frames of a slice, and what calibrates them.
struct FramesOfSlice {
    Transforms& transforms;
    const Scan& scan;
    const CalibrationField& field;
    PreparedFrames& frames;
    Reporter& report;

    /// The wanted radius of the first frame that is not silent.
    std::size_t wanted_radius(const std::vector<std::size_t>& good) const {
        for (const std::size_t f : good) {
            const auto wanted_by = [&](const Frame& frame) {
                return frame.samples.largest_part() > 0 ? field.wanted_radius(frame) : 0;
            };
            if (const std::size_t wanted = frames.look_at(f, wanted_by)) {
                return wanted;
            }
        }
        return most_radius(field.grid());
    }

    /// The first that is not silent and others from all over the slice.
    std::optional<Calibration> calibrate_one_by_one(const std::vector<std::size_t>& good,
                                                    std::size_t radius) const {
        const auto calibrated = [&](const Frame& frame) -> std::optional<Calibration> {
            if (frame.samples.largest_part() == 0) {
                return std::nullopt;
            }
            const Stage stage(report, stage_of_calibration);
            return calibrate(transforms, scan, field, frame, radius);
        };
        const auto of_frame = [&](std::size_t f) { return frames.look_at(f, calibrated); };
        std::optional<Calibration> all;
        std::size_t next = 0; // of good
        while (next < good.size() && !all) {
            all = of_frame(good[next++]);
        }
        const std::size_t left = good.size() - next;
        const std::size_t more = std::min(left, most_calibrations - 1);
        for (std::size_t i = 0; i < more; ++i) {
            if (const std::optional<Calibration> one = of_frame(good[next + i * left / more])) {
                all->join(*one);
            }
        }
        return all;
    }

    std::optional<Calibration> calibrate_together(const std::vector<std::size_t>& good,
                                                  std::size_t radius) const {
        const Grid grid = calibration_grid(field.grid(), radius);
        SampledCells cells(field.grid(), radius);
        std::vector<Frame> parts;
        std::size_t samples = 0;
        for (const std::size_t f : spread(good)) {
            const auto positions = field.positions(scan.frames[f].trajectory);
            if (samples >= enough_samples * grid.voxels() && !cells.would_gain(*positions)) {
                continue;
            }
            frames.look_at(f, [&](const Frame& frame) {
                if (frame.samples.largest_part() > 0) {
                    cells.add(*positions);
                    parts.push_back(field.central_part(frame, grid));
                    samples += parts.back().trajectory->samples();
                }
            });
        }
        if (samples == 0) {
            return std::nullopt;
        }
        require_calibration(scan, cells, parts.size());
        Frame all = joined(parts);
        const std::size_t together = parts.size();
        parts.clear();
        const CalibrationField at_these(field.grid(), field.grid());
        const Stage stage(report, stage_of_calibration);
        Calibration result = calibrate(transforms, scan, at_these, all, cells.radius());
        result.together = together;
        return result;
    }
};

} // namespace

std::optional<Calibration> calibrate_frames(Transforms& transforms, const Scan& scan,
                                            const CalibrationField& field, PreparedFrames& frames,
                                            const std::vector<std::size_t>& good,
                                            Reporter& report) {
    if (good.empty()) {
        return std::nullopt;
    }
    const FramesOfSlice slice{transforms, scan, field, frames, report};
    const std::size_t most = slice.wanted_radius(good);
    SampledCells all(field.grid(), most);
    std::map<const Trajectory*, std::size_t> radius_of;
    for (const std::size_t f : good) {
        const std::shared_ptr<const Trajectory>& trajectory = scan.frames[f].trajectory;
        if (radius_of.count(trajectory.get()) == 0) {
            const auto positions = field.positions(trajectory);
            all.add(*positions);
            radius_of[trajectory.get()] = sampled_radius(*positions, field.grid(), most);
        }
    }
    require_calibration(scan, all, good.size());
    const auto radius_of_frame = [&](std::size_t f) {
        return radius_of.at(scan.frames[f].trajectory.get());
    };
    const auto sampled_to = [&](std::size_t radius) {
        std::vector<std::size_t> result;
        std::copy_if(good.begin(), good.end(), std::back_inserter(result),
                     [&](std::size_t f) { return radius_of_frame(f) >= radius; });
        return result;
    };
    const auto alone = [&](std::size_t radius) {
        return slice.calibrate_one_by_one(sampled_to(radius), radius);
    };
    if (std::optional<Calibration> whole = alone(all.radius())) {
        return whole;
    }
    std::optional<Calibration> together = slice.calibrate_together(good, all.radius());
    if (!together || together->unexplained <= of_one_image) {
        return together;
    }
    std::vector<std::size_t> radii;
    for (const std::size_t f : good) {
        radii.push_back(radius_of_frame(f));
    }
    std::sort(radii.begin(), radii.end());
    const std::size_t half_of_them_reach = radii[radii.size() / 2];
    const std::size_t radius = is_enough(half_of_them_reach) ? half_of_them_reach : radii.back();
    if (is_enough(radius)) {
        if (std::optional<Calibration> some = alone(radius)) {
            return some;
        }
    }
    if (together->unexplained > of_like_images) {
        throw InputError(
            {scan.file,
             text("the centre of k-space of ", together->together,
                  " frames together, from which coil maps are estimated"),
             text(100 * together->unexplained, " % of its energy is not that of one image"),
             "frames that differ less, or one that samples the centre at the Nyquist "
             "rate",
             text(maps_of_another, "; ", without_maps)});
    }
    return together;
}

namespace {

/// Voxels of a calibration: so far a voxel is seen by others through a Hann window.
constexpr double voxels_of_window = 2;
constexpr std::size_t fewest = 8; ///< cycles/FOV that a calibration reaches

/// Dimensions that are widened together: a stack has samples between its own in the plane alone.
std::vector<int> widened_dimensions(const Grid& grid) {
    return grid.dimensions == 3 ? std::vector<int>{3, 2} : std::vector<int>{2};
}

Grid widened(Grid grid, int dimensions, double times) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        const auto voxels = static_cast<std::size_t>(
            2 * std::lround(times * static_cast<double>(grid.size[d]) / 2));
        grid.fov_mm[d] *= static_cast<double>(voxels) / static_cast<double>(grid.size[d]);
        grid.size[d] = voxels;
    }
    return grid;
}

/// The frame with its trajectory in cycles per the wider field of view.
Frame on_grid(const Frame& frame, const Grid& from, const Grid& to) {
    auto trajectory = std::make_shared<Trajectory>(*frame.trajectory);
    for (Vec3& k : trajectory->positions) {
        for (std::size_t d = 0; d < 3; ++d) {
            k[d] *= to.fov_mm[d] / from.fov_mm[d];
        }
    }
    Frame result = frame;
    result.trajectory = std::move(trajectory);
    return result;
}

/// Whether there is more in some voxel beyond a field of view than noise and the traces of what is
/// within.
bool is_object_beyond(const Calibration& calibration, const Vec3& field_mm) {
    constexpr double of_object = 0.05; // of the mean energy within the field of view
    constexpr double of_noise = 20; // times what a quarter of all voxels stays below
    Eigen::ArrayXd energy = calibration.smooth_energy();
    double beyond = 0;
    double within = 0;
    double voxels_within = 0;
    for (std::size_t n = 0; n < calibration.grid.voxels(); ++n) {
        const Vec3 x = Voxels::of_grid(calibration.grid).position(n);
        double outside = -HUGE_VAL; // voxels beyond the border
        for (std::size_t d = 0; d < 3; ++d) {
            const double share = field_mm[d] / calibration.grid.fov_mm[d];
            outside = std::max(outside, (std::abs(x[d]) - share / 2) *
                                            static_cast<double>(calibration.grid.size[d]));
        }
        const double strength = energy(static_cast<Eigen::Index>(n));
        if (outside >= voxels_of_window) {
            beyond = std::max(beyond, strength);
        }
        if (outside < 0) {
            within += strength;
            ++voxels_within;
        }
    }
    const auto quarter = energy.begin() + energy.size() / 4;
    std::nth_element(energy.begin(), quarter, energy.end());
    return beyond > of_object * within / voxels_within && beyond > of_noise * *quarter;
}

} // namespace

std::optional<Grid> grid_beyond_field(Transforms& transforms, const Scan& scan,
                                      const Frame& frame) {
    for (const int dimensions : widened_dimensions(scan.grid)) {
        for (const double times : {2.0, 1.5, 1.25}) {
            const Grid wide = widened(scan.grid, dimensions, times);
            const Frame there = on_grid(frame, scan.grid, wide);
            const CalibrationField field(wide, scan.grid, {there.trajectory});
            const std::size_t radius =
                field.is_narrower()
                    ? 0
                    : sampled_radius(there.trajectory->positions, wide, field.wanted_radius(there));
            if (radius < fewest) {
                continue;
            }
            const Calibration calibration = calibrate(transforms, scan, field, there, radius);
            return is_object_beyond(calibration, scan.grid.fov_mm) ? std::optional(wide)
                                                                   : std::nullopt;
        }
    }
    return std::nullopt;
}

} // namespace lsrecon
