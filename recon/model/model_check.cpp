// The table of models that are tried, and the decision which of them explains the slices of a scan.

#include "model/model_check.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "model/coarse_models.hpp"

namespace lsrecon {

namespace {

/// Right models left at most 1.04 times as much as others on simulated scans of SNR 20 to 30,
/// wrong ones at least 1.24 times.
constexpr double clearly = 1.2;
/// Shares of the energy: a model that leaves less is right, as far as its grid can show, or as
/// single precision can.
constexpr double hardly_any = 1e-4;
constexpr double resolved = 1e-5;
/// The sign of a trajectory that is right leaves less, the wrong one 25 to 80 %.
constexpr double most_of_right_sign = 0.05;
/// Right maps left up to 7 % of 6 to 12 spokes of a beating heart, exchanged ones 57 to 63 %.
constexpr double much = 0.1;
constexpr double of_right_model = 0.01; ///< where no maps can be estimated, which explain more

/// Maps that are estimated from a ghost explain it.
bool has_ghost(const Findings& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.code == Found::directions_differ ||
               finding.code == Found::directions_unknown || finding.code == Found::shots_differ;
    });
}

/// What compares so many models: the processors where they are the device or take next to no time.
/// Kernels for a coarse grid serve nothing else, and a first run has to compile them.
Transforms& transforms_for(Transforms& transforms, const Grid& grid,
                           const std::vector<Vec3>& positions, std::size_t maps, double models) {
    constexpr double next_to_none = 0.2; // s
    Transforms& processors = transforms.for_estimates();
    return transforms.device().in_host_memory() ||
                   CoarseModels::seconds(processors, grid, positions, maps, models) < next_to_none
               ? processors
               : transforms;
}

double models_of(std::size_t maps, bool field) {
    return 1 + (maps > 0 ? 1 : 0) + (field ? 1 : 0);
}

} // namespace

struct ModelCheck::Change {
    std::string name; ///< name in the record
    ModelChange change;
};

const std::array<ModelCheck::Change, ModelCheck::rows>& ModelCheck::table() {
    const ModelChange negated{Axes::kept, -1};
    const ModelChange in_hz{Axes::kept, 1 / (2 * pi)};
    const ModelChange without{Axes::kept, 0};
    const auto with_maps = [](ModelChange change) {
        change.estimates = true;
        return change;
    };
    static const std::array<Change, rows> changes{{
        {"other_sign", {Axes::mirrored}},
        {"exchanged_axes", {Axes::exchanged}},
        {"negated_field", negated},
        {"radians", in_hz},
        {"no_field", without},
        {"estimated_maps", with_maps({})},
        {"estimated_maps_negated_field", with_maps(negated)},
        {"estimated_maps_radians", with_maps(in_hz)},
        {"estimated_maps_no_field", with_maps(without)},
    }};
    return changes;
}

void ModelCheck::compare(Transforms& transforms, const Scan& scan, std::size_t index,
                         const Model& model, const Frame& frame, Reporter& report) {
    if (scan.voxels || (!stored_maps_ && !model.off_resonance)) {
        return;
    }
    const Stage stage(report, "model");
    const std::size_t maps = model.coil_maps->rows();
    Transforms& by = transforms_for(transforms, scan.grid, frame.trajectory->positions, maps,
                                    models_of(maps, model.off_resonance != nullptr));
    try {
        compare_centres(by, scan, index, model, frame);
    } catch (const RunError&) {
        throw;
    } catch (const Error&) { // what stops this stops the solve, which says so
    }
}

double ModelCheck::seconds(Transforms& transforms, const Grid& grid,
                           const std::vector<Vec3>& positions, std::size_t maps, bool field) {
    if (maps == 0 && !field) {
        return 0;
    }
    const double models = models_of(maps, field);
    return CoarseModels::seconds(transforms_for(transforms, grid, positions, maps, models), grid,
                                 positions, maps, models);
}

/// The energy that a model leaves, corrected for the noise that it fits and the scan's own does
/// not.
ModelCheck::Left ModelCheck::compared(CoarseModels& models, const ModelChange& change) {
    const double own = models.own();
    const double other = models.changed(change);
    if (own <= clearly * other) {
        return {own, other};
    }
    const bool is_known = own > resolved * models.energy();
    const double of_noise = is_known ? models.gain_of_noise(change, other) : own / other;
    return {own, std::min(own, other * std::max(1.0, of_noise))};
}

void ModelCheck::compare_centres(Transforms& transforms, const Scan& scan, std::size_t index,
                                 const Model& model, const Frame& frame) {
    CoarseModels models(transforms, scan, model, frame);
    const double energy = models.energy();
    if (!(energy > 0)) {
        return;
    }
    OfSlice found{index, energy, models.own(), models.noise()};
    const bool may_be_transposed = scan.grid.size[0] == scan.grid.size[1];
    if (stored_maps_ && found.left > most_of_right_sign * energy) {
        compare(models, other_sign, found);
    }
    if (model.off_resonance &&
        compare(models, no_field, found) < found.left) { // else the field map serves
        compare(models, negated_field, found);
        compare(models, radians, found);
    }
    const bool is_tried = found.models[other_sign].other > 0 || found.models[radians].other > 0;
    if (is_tried && may_be_transposed) {
        compare(models, exchanged_axes, found);
    }
    if (stored_maps_ && !has_ghost(scan.findings) && found.left > hardly_any * energy) {
        found.cannot_estimate = models.can_estimate() ? 0 : 1;
        if (models.can_estimate()) {
            compare_estimated(models, model.off_resonance != nullptr, found);
        }
    }
    if (const std::string slice = slice_in(frame.label); !slice.empty()) {
        found.slices.push_back({slice.substr(slice.rfind(' ') + 1), found.models});
    }
    add(std::move(found));
}

double ModelCheck::compare(CoarseModels& models, Row row, OfSlice& found) {
    found.models[row] = compared(models, table()[row].change);
    return found.models[row].other;
}

/// Tries estimated maps, and where something may be wrong also each of them with the changed field
/// maps: images with a field take time.
void ModelCheck::compare_estimated(CoarseModels& models, bool field, OfSlice& found) {
    const auto is_better = [](const Left& left) { return left.gain() > clearly; };
    found.models[estimated_maps] = compared(models, {Axes::kept, 1, true, false});
    const bool is_right = found.left <= most_of_right_sign * found.energy &&
                          std::none_of(found.models.begin(), found.models.end(), is_better);
    if (!field || is_right) {
        return;
    }
    const double with_field = compare(models, estimated_maps, found);
    if (compare(models, estimated_maps_no_field, found) < with_field) {
        compare(models, estimated_maps_negated_field, found);
        compare(models, estimated_maps_radians, found);
    }
}

void ModelCheck::add(OfSlice found) {
    const auto at = std::lower_bound(
        compared_.begin(), compared_.end(), found.index,
        [](const OfSlice& known, std::size_t index) { return known.index < index; });
    if (at != compared_.end() && at->index == found.index) {
        return;
    }
    compared_.insert(at, std::move(found));
    energy_ = left_ = noise_ = 0;
    cannot_estimate_ = false;
    all_ = {};
    slices_.clear();
    for (const OfSlice& one : compared_) {
        energy_ += one.energy;
        left_ += one.left;
        noise_ += one.noise;
        cannot_estimate_ = cannot_estimate_ || one.cannot_estimate != 0;
        for (std::size_t row = 0; row < rows; ++row) {
            const bool is_tried = one.models[row].other > 0; // where its own leave hardly any, not
            all_[row].own += one.left;
            all_[row].other += is_tried ? one.models[row].other : one.left;
            is_tried_[row] = is_tried_[row] || is_tried;
        }
        slices_.insert(slices_.end(), one.slices.begin(), one.slices.end());
    }
}

/// Whether a model explains a slice clearly better, unless the slice is noise alone, which any
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

/// Whether the rest may be noise, or is no more than this share of the energy.
bool ModelCheck::is_little(double left, double share) const {
    constexpr double of_noise = 1.5; // which is estimated
    return left <= std::max(share * energy_, of_noise * noise_);
}

/// A later one explains more than the scan's own, too, where an earlier one is right. A model that
/// explains more than another wrong one has to be right itself: advice to take it makes another
/// wrong image.
ModelCheck::Row ModelCheck::best_of_all() const {
    Row best = rows;
    double most = 1;
    for (std::size_t row = 0; row < rows; ++row) {
        const bool may_be_right =
            is_little(all_[row].other, cannot_estimate_ ? of_right_model : much);
        if (all_[row].gain() > clearly * most && may_be_right) {
            best = static_cast<Row>(row);
            most = all_[row].gain();
        }
    }
    return best;
}

/// A finding with the share of the energy that each model leaves.
Finding ModelCheck::with_all_left(Finding finding) const {
    finding.numbers.emplace_back("left", left_ / energy_);
    finding.numbers.emplace_back("noise", noise_ / energy_);
    finding.numbers.emplace_back("cannot_estimate", cannot_estimate_);
    for (std::size_t row = 0; row < rows; ++row) {
        if (is_tried_[row]) {
            finding.numbers.emplace_back("left_" + table()[row].name, all_[row].other / energy_);
        }
    }
    return finding;
}

std::optional<Finding> ModelCheck::finding() const {
    const auto better = [&](Row row, double gain, bool of_all, const std::string& slices) {
        return with_all_left({Found::model_differs,
                              {{"gain", gain}, {"of_all", of_all}},
                              {{"model", table()[row].name}, {"slices", slices}}});
    };
    if (const Row best = best_of_all(); best != rows) {
        return better(best, all_[best].gain(), true, better_slices(best));
    }
    Row best = rows;
    double most = 0;
    for (const Slice& slice : slices_) {
        for (std::size_t row = negated_field; row < rows; ++row) {
            if (is_better(slice, static_cast<Row>(row)) && slice.left[row].gain() > most) {
                best = static_cast<Row>(row);
                most = slice.left[row].gain();
            }
        }
    }
    if (best != rows && !cannot_estimate_) {
        return better(best, most, false, better_slices(best));
    }
    const bool another_is_better = std::any_of(
        all_.begin(), all_.end(), [](const Left& left) { return left.gain() > clearly; });
    if (!is_little(left_, much) && (cannot_estimate_ || another_is_better)) {
        return with_all_left({Found::model_unexplained});
    }
    return std::nullopt;
}

std::string ModelCheck::in_words() const {
    if (compared_.empty()) {
        return "the scan has neither coil maps nor a field map to compare with";
    }
    if (const std::optional<Finding> better = finding()) {
        return words_of(*better);
    }
    std::vector<std::string> others;
    for (const auto& [row, name] : {std::pair(estimated_maps, "coil maps"),
                                    {no_field, "field map"},
                                    {other_sign, "sign of the trajectory"}}) {
        if (is_tried_[row]) {
            others.emplace_back(name);
        }
    }
    const bool is_one = others.size() == 1 && !is_tried_[estimated_maps];
    const std::string tried = others.empty()
                                  ? "no other was tried"
                                  : text("no other ", separated_by(" or ", others),
                                         is_one ? " explains" : " explain", " the scan better");
    return text(tried, "; ", rounded(100 * left_ / energy_),
                " % of the centre of k-space stay unexplained",
                cannot_estimate_ ? ". Coil maps cannot be estimated from one frame of this scan to "
                                   "compare with."
                                 : "");
}

std::vector<std::pair<std::string, double>> ModelCheck::numbers() const {
    std::vector<std::pair<std::string, double>> numbers;
    if (energy_ > 0) {
        numbers.emplace_back("model_unexplained", left_ / energy_);
    }
    for (std::size_t row = 0; row < rows; ++row) {
        if (is_tried_[row]) {
            numbers.emplace_back("model_gain_" + table()[row].name, all_[row].gain());
        }
    }
    return numbers;
}

} // namespace lsrecon
