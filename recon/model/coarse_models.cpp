// Solves a frame on a quarter of k-space with changed maps, fields or trajectories, and measures
// the energy that each leaves.

#include "model/coarse_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/linear_algebra.hpp"
#include "base/numbers.hpp"
#include "encoding/sample_energy.hpp"
#include "engines/piecewise.hpp"
#include "model/calibration.hpp"
#include "model/estimated_maps.hpp"
#include "model/resampled.hpp"
#include "operators/gram.hpp"
#include "operators/q.hpp"
#include "scan/coil_transform.hpp"
#include "scan/noise.hpp"

namespace lsrecon {

namespace {

/// The share of k-space along each axis that is compared. A quarter distinguishes a field map of
/// the wrong sign (1.24 times less is left) as well as half of it does, at a tenth of the cost.
constexpr double share_of_kspace = 0.25;
constexpr std::size_t narrowest_box = 16; ///< cycles/FOV
const SolveOptions to_compare{1e-4, 10, 1e-3};
const SolveOptions to_calibrate{1e-3, 30, 1e-4}; ///< images of coils, as for `maps`

/// The centre of k-space.
Grid box_of(const Grid& grid) {
    Grid box = grid;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        const auto share = static_cast<std::size_t>(share_of_kspace * double(grid.size[d]));
        box.size[d] = std::min(std::max(narrowest_box, share), grid.size[d]);
    }
    return box;
}

/// The box, and what maps of the grid are estimated from.
Grid with_room_for_maps(Grid box, const Grid& grid) {
    const Grid of_maps = calibration_grid(grid, most_radius(grid));
    for (std::size_t d = 0; d < 3; ++d) {
        box.size[d] = std::max(box.size[d], of_maps.size[d]);
    }
    return box;
}

/// The number of samples of each cell of k-space, on average, that show as much as all.
constexpr double enough = 8;

Frame some_of(const Frame& frame, const Grid& box) {
    return subset(frame, some_within(frame.trajectory->positions, box, enough));
}

/// Maps on a coarser grid, of a sum of squares of 1, which leave as much and converge as others do.
/// Maps that end with the object go on for a voxel: its coarse image rings across its edge.
CoilRows comparable(CoilMatrix maps, const Grid& grid) {
    RealVector squares(maps.cols());
    for_each_segment(squares, [&](auto segment, Eigen::Index first) {
        segment = maps.middleCols(first, segment.size()).colwise().squaredNorm().transpose();
    });
    // Voxels of 0 take from others, which do not change.
    Eigen::Index stride = 1;
    for (const std::size_t size : grid.size) {
        const auto last = static_cast<Eigen::Index>(size) - 1;
        for_each_segment(squares, [&](const auto& segment, Eigen::Index first) {
            for (Eigen::Index n = first; n < first + segment.size(); ++n) {
                const Eigen::Index at = n / stride % (last + 1);
                if (squares(n) == 0 && at > 0 && squares(n - stride) > 0) {
                    maps.col(n) += maps.col(n - stride);
                }
                if (squares(n) == 0 && at < last && squares(n + stride) > 0) {
                    maps.col(n) += maps.col(n + stride);
                }
            }
        });
        stride *= last + 1;
    }
    for_each_segment(squares, [&](const auto& segment, Eigen::Index first) {
        for (Eigen::Index n = first; n < first + segment.size(); ++n) {
            if (const double norm = maps.col(n).norm(); norm > 0) {
                maps.col(n) /= norm;
            }
        }
    });
    return CoilRows(std::move(maps));
}

} // namespace

CoilRows coarse_maps(const CoilRows& maps, const Grid& from, const Grid& to,
                     const std::string& file) {
    return comparable(resampled(maps, from, to, {file, "model", ""}).to_doubles(), to);
}

struct CoarseModels::Samples {
    Frame all; ///< samples of both frames that follow
    Frame centre; ///< samples of the models
    Frame of_maps; ///< samples that maps are estimated from; none where they cannot be
    /// Maps by estimates_in_field, and field.
    std::map<std::pair<bool, double>, CoilRows> maps = {};
    /// F^H d of the centre's coils, by axes and field; none if they are too large.
    std::map<std::pair<Axes, double>, std::optional<FhdOfCoils>> fhd_of_coils = {};
};

CoarseModels::CoarseModels(Transforms& transforms, const Scan& scan, const Model& own,
                           const Frame& frame)
    : transforms_(transforms), scan_(scan), model_(own),
      grid_(with_room(box_of(scan.grid), scan.grid)),
      radius_(sampled_radius(frame.trajectory->positions, scan.grid, most_radius(scan.grid))),
      samples_(std::make_unique<Samples>()) {
    *samples_ = parts_of(some_of(frame, with_room_for_maps(box_of(scan.grid), scan.grid)));
    if (!own.coil_maps->empty()) {
        const std::size_t voxels = scan.image_voxels().count();
        maps_ = own.coil_maps->columns() == voxels
                    ? coarse_maps(*own.coil_maps, scan.grid, grid_, scan.file)
                    : coarse_maps(
                          own.coil_maps->to_doubles().leftCols(static_cast<Eigen::Index>(voxels)),
                          scan.grid, grid_, scan.file);
    }
    const double of_sample = scan.noise.empty()
                                 ? most_energy_of_noise(*frame.trajectory, frame.samples)
                                 : energy_of_noise(scan.noise);
    noise_ = of_sample * samples_->centre.trajectory->sum_of_weights();
}

CoarseModels::~CoarseModels() = default;

CoarseModels::Samples CoarseModels::parts_of(Frame all) const {
    const std::vector<std::size_t> of_maps =
        within(all.trajectory->positions, calibration_grid(scan_.grid, radius_));
    Samples result{std::move(all), {}, {}};
    result.centre = some_of(result.all, box_of(scan_.grid));
    result.of_maps = subset(result.all, of_maps);
    return result;
}

double CoarseModels::seconds(Transforms& transforms, const Grid& grid,
                             const std::vector<Vec3>& positions, std::size_t maps, double models) {
    constexpr std::size_t looked_at = 100000; // of the samples, which show how many there are
    const std::size_t step = std::max<std::size_t>(1, positions.size() / looked_at);
    std::vector<Vec3> looked;
    for (std::size_t m = 0; m < positions.size(); m += step) {
        looked.push_back(positions[m]);
    }
    const auto some_of = [&](const Grid& box) {
        const std::vector<std::size_t> inside = within(looked, box);
        std::vector<Vec3> some(std::min<std::size_t>(step * inside.size(), enough * box.voxels()));
        for (std::size_t i = 0; i < some.size(); ++i) {
            some[i] = looked[inside[i % inside.size()]];
        }
        return some;
    };
    const Grid box = box_of(grid);
    const Grid of_images = with_room(box, grid);
    const MachineModel& machine = transforms.device().machine_model();
    const std::vector<Vec3> gathered = some_of(with_room_for_maps(box, grid));
    const std::vector<Vec3> some = some_of(box);
    const std::size_t coils = std::max<std::size_t>(1, maps);
    const PiecewiseTransform fhd(transforms, some, Voxels::of_grid(of_images));
    const PiecewiseTransform q(transforms, some, Voxels::half_differences(of_images));
    const double of_model =
        fhd.predicted("fhd", coils).seconds +
        to_compare.iterations *
            Toeplitz::seconds(transforms.device(), of_images, transforms.solver_precision(), coils);
    double seconds = machine.making + q.predicted("q", 1).seconds + models * of_model;
    const std::size_t radius = sampled_radius(gathered, grid, most_radius(grid));
    if (maps > 0 && is_enough(radius)) {
        const Grid of_maps = calibration_grid(grid, radius);
        seconds += seconds_of_calibration(transforms, some_of(of_maps), maps, of_maps) +
                   cost_of_walsh(machine, maps, of_maps, of_images).seconds;
    }
    return seconds + static_cast<double>(gathered.size() * coils) * machine.value;
}

double CoarseModels::energy() const {
    return energy_of(*samples_->centre.trajectory, samples_->centre.samples);
}

bool CoarseModels::can_estimate() const {
    return is_enough(radius_);
}

std::shared_ptr<const OffResonance> CoarseModels::field_on(const Grid& grid, double factor) {
    if (!model_.off_resonance || factor == 0) {
        return nullptr;
    }
    const auto on_grid = [&](const RealVector& values) {
        const Resampled of{scan_.file, "model", ""};
        return values.size() == 0
                   ? values
                   : RealVector(resampled(CoilRows(CoilMatrix(values.transpose().cast<Complex>())),
                                          scan_.grid, grid, of)
                                    .to_doubles()
                                    .row(0)
                                    .real()
                                    .transpose());
    };
    auto known = fields_.find(grid.size);
    if (known == fields_.end()) {
        const OffResonance& all = *model_.off_resonance;
        known = fields_.insert({grid.size, {on_grid(all.field), on_grid(all.r2star)}}).first;
    }
    return std::make_shared<OffResonance>(known->second.scaled(factor));
}

/// Scans of one trajectory share it.
Q CoarseModels::q_of(const Trajectory& trajectory, const Grid& grid) {
    const auto bytes =
        static_cast<std::size_t>(Q::cost(grid, transforms_.precision()).device_bytes);
    bool is_made_here = false;
    Q q = *kept_or_made<Q>(transforms_.kept(), text("Q of ", by(grid.size, 3)),
                           {bytes_of_all(trajectory.positions), bytes_of_all(trajectory.phi),
                            bytes_of_all(trajectory.weights)},
                           bytes, [&] {
                               is_made_here = true;
                               return std::make_shared<const Q>(
                                   compute_q(transforms_, trajectory, grid));
                           });
    if (!is_made_here) {
        transforms_.record_as_made("q", trajectory.points(), Voxels::half_differences(grid));
    }
    q.grid = grid;
    return q;
}

CoarseSolve CoarseModels::solve_with(const CoilRows& maps,
                                     const std::shared_ptr<const OffResonance>& field,
                                     const Grid& grid, const Trajectory& trajectory,
                                     double lambda) {
    return {transforms_, grid, maps, field, trajectory, lambda, [this, grid](const Trajectory& of) {
                const auto key = std::pair(&of, grid.size);
                auto known = qs_.find(key);
                if (known == qs_.end()) {
                    known = qs_.emplace(key, q_of(of, grid)).first;
                }
                return known->second;
            }};
}

std::shared_ptr<const Trajectory> CoarseModels::trajectory_of(const ModelChange& change,
                                                              const Samples& samples) {
    if (change.axes == Axes::kept) {
        return samples.centre.trajectory;
    }
    std::shared_ptr<const Trajectory>& known = changed_[change.axes];
    if (!known) {
        auto changed = std::make_shared<Trajectory>(*samples.centre.trajectory);
        for (Vec3& k : changed->positions) {
            k = change.axes == Axes::mirrored ? Vec3{-k[0], -k[1], -k[2]} : Vec3{k[1], k[0], k[2]};
        }
        known = std::move(changed);
    }
    return known;
}

const CoilRows& CoarseModels::estimated_maps(const ModelChange& change, Samples& samples) {
    const bool in_field = model_.off_resonance && change.estimates_in_field;
    const double field = in_field ? change.field : 0;
    const auto known = samples.maps.find({in_field, field});
    if (known != samples.maps.end()) {
        return known->second;
    }
    Grid grid = calibration_grid(scan_.grid, radius_);
    if (in_field) { // which moves what was read along an axis
        grid = with_room(grid, scan_.grid);
    }
    const CoilRows no_maps;
    CoarseSolve of_coils = solve_with(no_maps, field_on(grid, field), grid,
                                      *samples.of_maps.trajectory, to_calibrate.lambda);
    double explained = 0;
    Calibration calibration{
        radius_,
        grid,
        1,
        of_coils.images_of_coils(of_coils.fhd(samples.of_maps.samples), to_calibrate, explained),
        {}};
    return samples.maps[{in_field, field}] =
               CoilRows(walsh_maps(calibration, grid_, MapsOptions()));
}

double CoarseModels::left_by(const ModelChange& change, Samples& samples) {
    const std::shared_ptr<const Trajectory> trajectory = trajectory_of(change, samples);
    CoarseSolve of_change =
        solve_with(change.estimates ? estimated_maps(change, samples) : maps_,
                   field_on(grid_, change.field), grid_, *trajectory, to_compare.lambda);
    const CoilRows& values = samples.centre.samples;
    const Solved solved = of_change.solve(fhd_of(of_change, change, samples), to_compare);
    const double energy = energy_of(*trajectory, values);
    return std::max(energy - solved.explained, 1e-7 * energy);
}

/// Models that differ in their coil maps alone share the transform of small samples.
std::vector<Volume> CoarseModels::fhd_of(CoarseSolve& model, const ModelChange& change,
                                         Samples& samples) {
    constexpr double hardly_any = 1.0 / 64; // of the memory that transforms may take at a time
    const CoilRows& values = samples.centre.samples;
    const bool with_maps = !maps_.empty() || change.estimates;
    const double bytes = static_cast<double>(values.rows() * grid_.voxels()) *
                         static_cast<double>(Element{true, transforms_.precision()}.bytes());
    if (!with_maps || bytes > hardly_any * transforms_.device().room()) {
        return model.fhd(values);
    }
    const auto key = std::pair(change.axes, model_.off_resonance ? change.field : 0);
    auto known = samples.fhd_of_coils.find(key);
    if (known == samples.fhd_of_coils.end()) {
        known = samples.fhd_of_coils.emplace(key, model.fhd_of_coils(values)).first;
    }
    return known->second ? model.fhd(*known->second) : model.fhd(values);
}

double CoarseModels::own() {
    if (!own_) {
        own_ = left_by(ModelChange(), *samples_);
    }
    return *own_;
}

double CoarseModels::changed(const ModelChange& change) {
    return left_by(change, *samples_);
}

double CoarseModels::gain_of_noise(const ModelChange& change, double left) {
    if (!noisy_) {
        const Frame& centre = samples_->centre;
        const double parts = 2 * static_cast<double>(centre.samples.rows()) *
                             centre.trajectory->sum_of_weights(); // real and imaginary
        CoilMatrix values = samples_->all.samples.to_doubles();
        ReceiverNoise(std::sqrt(own() / parts), 0, 1).add_to(values);
        Frame all = samples_->all;
        all.samples = CoilRows(std::move(values));
        noisy_ = std::make_unique<Samples>(parts_of(std::move(all)));
        noisy_->centre.trajectory = centre.trajectory; // whose Q is known
        noisy_->of_maps.trajectory = samples_->of_maps.trajectory;
        own_of_noise_ = left_by(ModelChange(), *noisy_) - own();
    }
    const double of_noise = left_by(change, *noisy_) - left;
    const bool is_known = own_of_noise_ > 0 && of_noise > 0;
    return is_known ? own_of_noise_ / of_noise : std::numeric_limits<double>::infinity();
}

} // namespace lsrecon
