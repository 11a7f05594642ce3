#include "prepare/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "engines/piecewise.hpp"
#include "operators/q.hpp"
#include "operators/toeplitz.hpp"
#include "plan/plan.hpp"
#include "prepare/calibration.hpp"
#include "prepare/estimated_maps.hpp"
#include "prepare/resampled.hpp"
#include "prepare/sampled_cells.hpp"
#include "scan/place.hpp"
#include "solve/misfit.hpp"
#include "solve/normal_equations.hpp"
#include "solve/solve.hpp"

namespace lsrecon {

namespace {

/// Of the samples: a quarter of k-space along each axis tells a field map of the wrong sign (1.24
/// times less is left) as well as half of it does, at a tenth of the cost.
constexpr double share_of_kspace = 0.25;
constexpr std::size_t fewest = 16; ///< cycles/FOV
constexpr double lambda = 1e-4;
constexpr int iterations = 10;
constexpr double tolerance = 1e-3;
/// Right models left at most 1.04 times as much as others on simulated scans of SNR 20 to 30,
/// wrong ones at least 1.24 times.
constexpr double clearly = 1.2;
/// Share of the energy: a model that leaves less is right.
constexpr double hardly_any = 1e-4;
/// The sign of a trajectory that is right leaves less, the wrong one 25 to 80 %.
constexpr double most_of_right_sign = 0.05;

/// The centre of k-space, and the grid of its images, which has room beyond the edge for what coil
/// maps move across it.
struct Centre {
    Grid box;
    Grid grid;
};

Centre centre_of(const Grid& grid) {
    Centre result{grid, grid};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
        const auto share = static_cast<std::size_t>(share_of_kspace * double(grid.size[d]));
        result.box.size[d] = std::min(std::max(fewest, share), grid.size[d]);
        result.grid.size[d] = std::min(result.box.size[d] * 3 / 2, grid.size[d]);
    }
    return result;
}

/// The box, and what maps of the grid are estimated from.
Grid with_room_for_maps(Grid box, const Grid& grid) {
    const Grid of_maps = calibration_grid(grid, most_radius(grid));
    for (std::size_t d = 0; d < 3; ++d) {
        box.size[d] = std::max(box.size[d], of_maps.size[d]);
    }
    return box;
}

/// So many samples of each cell of k-space on average tell as much as all.
constexpr double enough = 8;

/// Samples within a box, some of many at random: each part of k-space keeps its share.
Frame some_within(const Grid& box, const Frame& frame) {
    std::vector<std::size_t> inside = within(frame.sampling->trajectory, box);
    const double share =
        enough * static_cast<double>(box.voxels()) / static_cast<double>(inside.size());
    if (share < 1) {
        std::mt19937_64 generator(1);
        const auto is_left_out = [&](std::size_t) {
            return std::ldexp(static_cast<double>(generator()), -64) >= share;
        };
        inside.erase(std::remove_if(inside.begin(), inside.end(), is_left_out), inside.end());
    }
    return subset(frame, inside);
}

/// The scan's model on a coarser grid, with these samples.
Scan coarse(const Scan& scan, const Place& place, const Grid& grid, Frame centre) {
    Scan model;
    model.file = scan.file;
    model.format = scan.format;
    model.grid = grid;
    const auto on_grid = [&](const CoilRows& rows) {
        return resampled(rows, scan.grid, grid, {scan.file, "model", ""});
    };
    const auto row = [&](const RealVector& values) {
        return values.size() == 0
                   ? values
                   : RealVector(on_grid(CoilRows(CoilMatrix(values.transpose().cast<Complex>())))
                                    .to_doubles()
                                    .row(0)
                                    .real()
                                    .transpose());
    };
    if (!place.coil_maps->empty()) {
        model.coil_maps = on_grid(*place.coil_maps);
    }
    if (place.off_resonance) {
        model.off_resonance = std::make_shared<OffResonance>(
            OffResonance{row(place.off_resonance->field), row(place.off_resonance->r2star)});
    }
    model.frames.push_back(std::move(centre));
    return model;
}

Scan in_field(const Scan& model, double factor) {
    Scan result = model;
    result.off_resonance =
        factor == 0 ? nullptr : std::make_shared<OffResonance>(model.off_resonance->scaled(factor));
    return result;
}

Scan mirrored(const Scan& model) {
    Scan result = model;
    auto sampling = std::make_shared<Sampling>(*model.frames.front().sampling);
    for (Vec3& k : sampling->trajectory) {
        k = {-k[0], -k[1], -k[2]};
    }
    result.frames.front().sampling = std::move(sampling);
    return result;
}

/// What a model leaves of the samples' energy, and its image.
struct Explained {
    double left;
    ComplexVector image;
};

/// Where models of one grid are solved. Most have the same sampling, and its Q is made once.
class Solves {
public:
    explicit Solves(Transforms& transforms) : transforms_(transforms) {}

    /// visit(equations) of a model, with this lambda.
    template <typename Visit>
    auto with_equations(const Scan& model, double weight, const Visit& visit) {
        Reporter silent;
        const Plan plan = make_plan(model, {false, false, transforms_.segment_error() > 0});
        const std::shared_ptr<const Sampling>& sampling = model.frames.front().sampling;
        FrameEquations of_frames(
            {transforms_, plan, model.coil_maps, weight, [&](const Sampling& of) {
                 if (sampling_ != sampling) {
                     q_ = compute_q(transforms_, of, model.grid, silent);
                     sampling_ = sampling;
                 }
                 return *q_;
             }});
        return visit(of_frames.of(sampling), silent);
    }

private:
    Transforms& transforms_;
    std::shared_ptr<const Sampling> sampling_;
    std::optional<Q> q_;
};

Explained explained_by(Solves& solves, const Scan& model) {
    return solves.with_equations(model, lambda, [&](NormalEquations& equations, Reporter& silent) {
        const Frame& frame = model.frames.front();
        const std::vector<Volume> fhd = equations.fhd(frame.samples, silent);
        const Solved solved = solve(equations, fhd, {lambda, iterations, tolerance}, silent);
        const double energy = energy_of(*frame.sampling, frame.samples);
        return Explained{std::max(energy - solved.explained, 1e-7 * energy), solved.image};
    });
}

/// sum_c |F^H W (d_c - F S_c rho)|^2 in each plane of a volume.
RealVector residual_of_planes(Solves& solves, const Scan& model, const ComplexVector& image) {
    Scan of_coils = model;
    of_coils.coil_maps = {};
    return solves.with_equations(of_coils, 0, [&](NormalEquations& equations, Reporter& silent) {
        const std::vector<Volume> fhd = equations.fhd(model.frames.front().samples, silent);
        System* const on_device = equations.on_device();
        System& system = on_device != nullptr ? *on_device : equations.on_reference();
        const CoilMatrix maps = model.coil_maps.to_doubles();
        const auto planes = static_cast<Eigen::Index>(model.grid.size[2]);
        const Eigen::Index voxels = image.size() / planes;
        RealVector result = RealVector::Zero(planes);
        for (std::size_t c = 0; c < fhd.size(); ++c) {
            const ComplexVector of_coil =
                image.cwiseProduct(maps.row(static_cast<Eigen::Index>(c)).transpose());
            const ComplexVector left = fhd[c].values() - system.apply(of_coil);
            for (Eigen::Index z = 0; z < planes; ++z) {
                result(z) += left.segment(z * voxels, voxels).squaredNorm();
            }
        }
        return result;
    });
}

} // namespace

struct ModelCheck::Words {
    std::string name; ///< in the record
    std::string subject; ///< and "explain"
    std::string object; ///< of it, where it is not some slices
    std::string in_use; ///< after "than"
    std::string flag;
};

const std::array<ModelCheck::Words, ModelCheck::rows>& ModelCheck::table() {
    static const std::array<Words, rows> words{{
        {"other_sign", "The other sign of the trajectory explains", "the scan", "that in use",
         "pass `conjugate`, or leave it out if it was given"},
        {"negated_field", "The field map with the other sign explains", "the scan", "as it is",
         "`field_scale` -1"},
        {"radians", "The field map divided by 2 pi explains", "the scan", "as it is",
         "it is in rad/s; `field_scale` 0.15915"},
        {"no_field", "The model without field map explains", "the scan", "with it",
         "`field_map` none"},
        {"estimated_maps", "Coil maps estimated from this scan explain", "it", "those in use",
         "`maps` espirit"},
    }};
    return words;
}

void ModelCheck::compare(const Scan& scan, const Place& place, const Frame& frame,
                         Reporter& report) {
    if (scan.voxels || (!stored_maps_ && !place.off_resonance)) {
        return;
    }
    const Stage stage(report, "model");
    try {
        compare_centres(scan, place, frame);
    } catch (const RunError&) {
        throw;
    } catch (const Error&) { // what stops this stops the solve, which says so
    }
}

double ModelCheck::seconds(Transforms& transforms, const Grid& grid,
                           const std::vector<Vec3>& trajectory, std::size_t maps, bool field) {
    if (maps == 0 && !field) {
        return 0;
    }
    const Centre centre = centre_of(grid);
    constexpr std::size_t looked_at = 100000; // of the samples, which tell how many there are
    const std::size_t step = std::max<std::size_t>(1, trajectory.size() / looked_at);
    std::vector<Vec3> looked;
    for (std::size_t m = 0; m < trajectory.size(); m += step) {
        looked.push_back(trajectory[m]);
    }
    const auto some_of = [&](const Grid& box) {
        const std::vector<std::size_t> inside = within(looked, box);
        std::vector<Vec3> some(std::min<std::size_t>(step * inside.size(), enough * box.voxels()));
        for (std::size_t i = 0; i < some.size(); ++i) {
            some[i] = looked[inside[i % inside.size()]];
        }
        return some;
    };
    const std::vector<Vec3> gathered = some_of(with_room_for_maps(centre.box, grid));
    const std::vector<Vec3> some = some_of(centre.box);
    const std::size_t coils = std::max<std::size_t>(1, maps);
    const PiecewiseTransform fhd(transforms, some, Voxels::of_grid(centre.grid));
    const PiecewiseTransform q(transforms, some, Voxels::half_differences(centre.grid));
    const double models = (maps > 0 ? 2 : 1) + (field ? 2 : 0);
    const double of_model = fhd.predicted("fhd", coils).seconds +
                            iterations * Toeplitz::seconds(transforms.device(), centre.grid,
                                                           transforms.solver_precision(), coils);
    double seconds =
        transforms.device().pace().planning + q.predicted("q", 1).seconds + models * of_model;
    if (maps > 0) {
        const std::size_t radius = sampled_radius(gathered, grid, most_radius(grid));
        const Grid of_maps = calibration_grid(grid, radius);
        seconds +=
            !is_enough(radius)
                ? 0
                : seconds_of_calibration(transforms, some_of(of_maps), maps, of_maps) +
                      cost_of_walsh(transforms.device().pace(), maps, of_maps, centre.grid).seconds;
    }
    const auto samples = static_cast<double>(gathered.size());
    return seconds + samples * static_cast<double>(coils) * transforms.device().pace().value;
}

void ModelCheck::compare_centres(const Scan& scan, const Place& place, const Frame& frame) {
    const Centre centre = centre_of(scan.grid);
    const CalibrationField field(scan.grid, scan.grid);
    const Frame some = some_within(with_room_for_maps(centre.box, scan.grid), frame);
    const Scan model = coarse(scan, place, centre.grid,
                              field.central_part(some_within(centre.box, some), centre.box));
    const Frame& middle = model.frames.front();
    const double energy = energy_of(*middle.sampling, middle.samples);
    if (!(energy > 0)) {
        return;
    }
    OfPlace found{place.index, energy};
    std::vector<Left>& left = found.models;
    Solves solves(transforms_);
    const Explained own = explained_by(solves, model);
    const auto judge = [&](Row row, const Scan& other) {
        left[row] = {own.left, explained_by(solves, other).left};
    };
    found.left = own.left;
    if (stored_maps_ && own.left > most_of_right_sign * energy) {
        judge(other_sign, mirrored(model));
    }
    const Scan plain = model.off_resonance ? in_field(model, 0) : model;
    const Explained of_plain = model.off_resonance ? explained_by(solves, plain) : own;
    if (model.off_resonance) {
        left[no_field] = {own.left, of_plain.left};
    }
    if (of_plain.left < own.left) { // else the field map explains something
        judge(negated_field, in_field(model, -1));
        judge(radians, in_field(model, 1 / (2 * pi)));
    }
    const std::string slice = slice_in(frame.label);
    if (stored_maps_ && of_plain.left > hardly_any * energy) {
        try {
            Reporter silent;
            Scan other = plain;
            other.coil_maps = CoilRows(walsh_maps(calibrate(transforms_, scan, field, some, silent),
                                                  model.grid, MapsOptions()));
            const Explained by_estimated = explained_by(solves, other);
            left[estimated_maps] = {of_plain.left, by_estimated.left};
            if (scan.grid.dimensions == 3 && slice.empty() &&
                left[estimated_maps].gain() > clearly) {
                found.slices = compare_planes(residual_of_planes(solves, plain, of_plain.image),
                                              residual_of_planes(solves, other, by_estimated.image),
                                              scan.grid.size[2]);
            }
        } catch (const RunError&) {
            throw;
        } catch (const InputError&) { // the frame alone does not sample the centre
        }
    }
    if (!slice.empty()) {
        found.slices.push_back({slice.substr(slice.rfind(' ') + 1), left});
    }
    add(std::move(found));
}

void ModelCheck::add(OfPlace found) {
    const auto at = std::lower_bound(
        places_.begin(), places_.end(), found.place,
        [](const OfPlace& known, std::size_t place) { return known.place < place; });
    if (at != places_.end() && at->place == found.place) {
        return;
    }
    places_.insert(at, std::move(found));
    energy_ = left_ = 0;
    all_ = {};
    slices_.clear();
    for (const OfPlace& one : places_) {
        energy_ += one.energy;
        left_ += one.left;
        for (std::size_t row = 0; row < rows; ++row) {
            all_[row].own += one.models[row].own;
            all_[row].other += one.models[row].other;
        }
        slices_.insert(slices_.end(), one.slices.begin(), one.slices.end());
    }
}

std::vector<ModelCheck::Slice> ModelCheck::compare_planes(const RealVector& with_own,
                                                          const RealVector& with_other,
                                                          std::size_t stored) {
    std::vector<Slice> slices;
    for (std::size_t z = 0; z < stored; ++z) {
        const auto plane =
            static_cast<Eigen::Index>(z * static_cast<std::size_t>(with_own.size()) / stored);
        Slice slice{text(z)};
        slice.left[estimated_maps] = {with_own(plane), with_other(plane)};
        slices.push_back(slice);
    }
    return slices;
}

/// Whether a model explains a slice clearly more, and that is no slice of noise alone, which any
/// model explains.
bool ModelCheck::is_better(const Slice& slice, Row row) const {
    constexpr double clearly_of_slice = 1.5;
    double own = 0;
    for (const Slice& one : slices_) {
        own += one.left[row].own / static_cast<double>(slices_.size());
    }
    const Left& left = slice.left[row];
    return left.gain() > clearly_of_slice && left.own - left.other > (clearly - 1) * own;
}

/// "slices 0, 1"; "" where all or none are better.
std::string ModelCheck::better_slices(Row row) const {
    std::string names;
    std::size_t count = 0;
    for (const Slice& slice : slices_) {
        if (is_better(slice, row)) {
            names += (count++ == 0 ? "" : ", ") + slice.name;
        }
    }
    return count == 0 || count == slices_.size() ? "" : (count == 1 ? "slice " : "slices ") + names;
}

std::string ModelCheck::advice() const {
    Row best = rows;
    double most = 1;
    for (const Row row : {other_sign, negated_field, radians, no_field, estimated_maps}) {
        double gain = all_[row].gain();
        for (const Slice& slice : slices_) {
            gain = std::max(gain, is_better(slice, row) ? slice.left[row].gain() : 0);
        }
        // A later one explains more than the scan's own, too, where an earlier one is right.
        if (gain > clearly * most) {
            best = row;
            most = gain;
        }
    }
    if (best == rows) {
        return "";
    }
    const Words& words = table()[best];
    const std::string slices = better_slices(best);
    const double of_all = all_[best].gain();
    const double gain = of_all > clearly ? of_all : most;
    return text(words.subject, " ", of_all > clearly ? words.object : slices, " ",
                gain < 100 ? rounded(gain) : text(std::round(gain)), " times better than ",
                words.in_use, slices.empty() || of_all <= clearly ? "" : ", above all " + slices,
                ": ", words.flag);
}

std::vector<std::pair<std::string, double>> ModelCheck::numbers() const {
    std::vector<std::pair<std::string, double>> numbers;
    if (energy_ > 0) {
        numbers.emplace_back("model_unexplained", left_ / energy_);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        if (all_[row].other > 0) {
            numbers.emplace_back("model_gain_" + table()[row].name, all_[row].gain());
        }
    }
    return numbers;
}

} // namespace lsrecon
