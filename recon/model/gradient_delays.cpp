// Fits delays and phases of readouts to the centre of k-space. Images of the coils need no maps,
// and leave nearly all that the scan shows of delays: their errors were 1.0 to 1.25 times the joint
// Cramer-Rao bound with true maps, of all samples, and 1.5 to 2.1 times it for 13 spokes over half
// a circle and for spirals (scripts/delays_sweep.py, 100 draws).

#include "model/gradient_delays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "base/numbers.hpp"
#include "engines/piecewise.hpp"
#include "model/calibration.hpp"
#include "model/coarse_models.hpp"
#include "model/readout_correction.hpp"
#include "model/steps.hpp"
#include "operators/gram.hpp"
#include "scan/coil_transform.hpp"

namespace lsrecon {

namespace {

using Eigen::Index;

constexpr std::size_t most_frames = 8; ///< that are fitted together, where one is not enough
constexpr std::size_t fewest_samples = 32; ///< of a frame's centre
constexpr double most_deviation = 0.1; ///< dwell times
/// The probability that noise alone would explain as much as delays do.
constexpr double unlikely = 1e-6;
/// What is left without delays, over what is left with them.
constexpr double times_less = 1.1;
/// The same where a user is told to try them: readouts in other courses show off-resonance, too.
constexpr double times_less_of_others = 2;
/// Shares of the energy that coarse grids and single precision leave.
constexpr double hardly_any_share = 1e-5;

/// Virtual coils, which have most of the energy.
std::size_t most_coils(const Grid& grid) {
    return grid.dimensions == 3 ? 2 : 4;
}

double samples_a_cell(const Grid& grid) {
    return grid.dimensions == 3 ? 8 : 12;
}

/// The centre of k-space along each axis.
Grid box_of_fit(const Grid& grid) {
    return central_box(grid, grid.dimensions == 3 ? 8 : 16);
}

/// The centre of a frame with unit weights, but without samples of weight 0.
FrameOfFit centre_of(const Frame& frame, const Grid& box, const ReadoutCourse& course) {
    std::vector<std::size_t> inside =
        some_within(frame.trajectory->positions, box, samples_a_cell(box));
    inside.erase(std::remove_if(inside.begin(), inside.end(),
                                [&](std::size_t m) { return frame.trajectory->weight(m) == 0; }),
                 inside.end());
    FrameOfFit result{subset(frame, inside), parameters_of(course, inside)};
    auto trajectory = std::make_shared<Trajectory>(*result.frame.trajectory);
    trajectory->weights = {};
    trajectory->times = {};
    result.frame.trajectory = std::move(trajectory);
    return result;
}

/// Frames for a fit, spread over the good ones that have samples.
struct FramesToFit {
    std::vector<FrameOfFit> frames;
    CoilTransform mixing; ///< to few virtual coils; no rows for none
    RealVector start;
    std::vector<std::string> names;
    bool is_radial = false;

    void add(FrameOfFit of, std::size_t coils) {
        CoilRows& samples = of.frame.samples;
        if (frames.empty() && samples.rows() > coils) {
            mixing = compressed_coils({gram(samples)}, {coils}).mixing;
        }
        samples = mixing.rows() > 0 ? mixed(mixing, samples) : samples;
        frames.push_back(std::move(of));
    }
};

std::optional<FramesToFit> frames_to_fit(ScanInPreparation& preparation, std::size_t most) {
    PreparedFrames& frames = preparation.frames;
    std::vector<std::size_t> good;
    for (std::size_t f = frames.first_good(); f < preparation.scan.frames.size(); ++f) {
        if (!frames.is_bad(f)) {
            good.push_back(f);
        }
    }
    FramesToFit result;
    const Grid box = box_of_fit(preparation.scan.grid);
    for (std::size_t i = 0; i < std::min(most, good.size()); ++i) {
        const std::size_t f = good[i * good.size() / std::min(most, good.size())];
        frames.look_at(f, [&](const Frame& frame) {
            const ReadoutCourse course(*frame.trajectory);
            if (!course.shows_delays || !(frame.samples.largest_part() > 0)) {
                return;
            }
            FrameOfFit centre = centre_of(frame, box, course);
            const std::size_t count = centre.parameters.size();
            if (result.names.empty()) {
                result.is_radial = course.is_radial;
                result.start = RealVector::Zero(static_cast<Index>(count));
                for (const SampleParameter& one : centre.parameters) {
                    result.names.push_back(one.name);
                }
            }
            if (count != result.names.size() || centre.frame.samples.columns() < fewest_samples) {
                return;
            }
            if (course.is_radial) {
                result.start += delays_of_crossing_spokes(*frame.trajectory, frame.samples, course);
            }
            result.add(std::move(centre), most_coils(box));
        });
    }
    if (result.frames.empty()) {
        return std::nullopt;
    }
    result.start /= static_cast<double>(result.frames.size());
    return result;
}

/// By images of the coils; and from there by the scan's own maps, where these explain as much.
DelaysFound fitted(ScanInPreparation& preparation, const FramesToFit& of) {
    constexpr double as_much = 1.2;
    const Stage stage(preparation.report, "delays");
    const Scan& scan = preparation.scan;
    const Grid grid = with_room(box_of_fit(scan.grid), scan.grid);
    ParameterFitOptions options;
    options.solve = {1e-3, 15, 1e-4};
    options.start = of.start;
    const auto fitted_with = [&](const CoilRows& maps) {
        return DelaysFound{
            fit_parameters(preparation.transforms.for_estimates(), grid, maps, of.frames, options),
            of.names, of.is_radial};
    };
    const DelaysFound found = fitted_with({});
    if (scan.coil_maps.empty() || (found.is_known() && !found.is_clear())) {
        return found;
    }
    const CoilRows maps = coarse_maps(scan.coil_maps, scan.grid, grid, scan.file);
    options.start = found.fit.values;
    DelaysFound by_maps = fitted_with(of.mixing.rows() > 0 ? mixed(of.mixing, maps) : maps);
    return by_maps.fit.noise() <= as_much * found.fit.noise() ? by_maps : found;
}

bool is_delay(const std::string& name) {
    return name.rfind("phase", 0) != 0;
}

} // namespace

Delays DelaysFound::delays() const {
    Delays delays;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double value = fit.values(static_cast<Index>(i));
        (is_delay(names[i]) ? delays.of_axes : delays.phases).push_back(value);
    }
    return delays;
}

double DelaysFound::deviation() const {
    double largest = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        largest = std::max(largest, is_delay(names[i]) ? fit.deviation(i) : 0);
    }
    return largest;
}

bool DelaysFound::is_known() const {
    return deviation() <= most_deviation;
}

bool DelaysFound::is_clear() const {
    return fit.chance() < unlikely && fit.left_before > times_less * fit.left &&
           fit.left_before > hardly_any_share * fit.energy;
}

std::vector<std::pair<std::string, double>> DelaysFound::numbers() const {
    std::vector<std::pair<std::string, double>> numbers;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name = (is_delay(names[i]) ? "delay_" : "readout_") + names[i];
        numbers.emplace_back(name, fit.values(static_cast<Index>(i)));
        numbers.emplace_back(name + "_deviation", fit.deviation(i));
    }
    numbers.emplace_back("delays_unexplained_before", fit.left_before / fit.energy);
    numbers.emplace_back("delays_unexplained", fit.left / fit.energy);
    return numbers;
}

std::optional<DelaysFound> find_delays(ScanInPreparation& preparation) {
    std::optional<DelaysFound> found;
    for (const std::size_t most : {std::size_t(1), most_frames}) {
        const bool has_more = preparation.scan.frames.size() > 1;
        if (most > 1 && (!has_more || !found || found->is_known())) {
            break;
        }
        if (const std::optional<FramesToFit> of = frames_to_fit(preparation, most)) {
            found = fitted(preparation, *of);
        }
    }
    return found;
}

/// Images of a coil without the field would take phases of off-resonance for those of readouts.
bool may_have_delays(const ScanInPreparation& preparation) {
    const DelaysSource& source = preparation.options.delays;
    const bool has_field = preparation.field || preparation.scan.off_resonance;
    return !is_none(source) && !preparation.scan.voxels && !(is_default(source) && has_field);
}

namespace {

/// Trajectories that the delays are not of, by `are_of`, stay as they are.
void correct(ScanInPreparation& preparation, const Delays& delays,
             const std::function<bool(const ReadoutCourse&)>& are_of) {
    correct_readouts(preparation, [&](const Trajectory& trajectory) {
        const ReadoutCourse course(trajectory);
        return are_of(course) ? moved_by(delays, trajectory, course)
                              : MovedReadouts{trajectory, {}};
    });
}

/// A finding on these delays.
Finding finding_on(Found code, const DelaysFound& found) {
    Finding finding{code, found.numbers(), {{"delays", found.delays().rounded().word()}}};
    const auto short_of = [](double value) { return std::strtod(rounded(value).c_str(), nullptr); };
    finding.numbers.emplace_back("deviation", short_of(found.deviation()));
    finding.numbers.emplace_back("times", short_of(found.fit.left_before / found.fit.left));
    return finding;
}

} // namespace

void correct_delays(ScanInPreparation& preparation) {
    Scan& scan = preparation.scan;
    const DelaysSource& source = preparation.options.delays;
    if (const Delays* const given = std::get_if<Delays>(&source)) {
        correct(preparation, *given, [](const ReadoutCourse&) { return true; });
        scan.facts.push_back("readouts corrected by `delays` " + given->word());
        return;
    }
    const bool is_requested = std::holds_alternative<FromScan>(source);
    const std::optional<DelaysFound> found = find_delays(preparation);
    if (!found) {
        return;
    }
    const bool is_sure = found->is_known() && found->is_clear();
    const bool is_turned = std::any_of(scan.frames.begin(), scan.frames.end(),
                                       [](const Frame& frame) { return frame.turned; });
    if (is_sure && (is_requested || (found->is_radial && !is_turned))) {
        const bool in_plane = found->delays().of_axes.size() == 3;
        correct(preparation, found->delays(), [in_plane](const ReadoutCourse& course) {
            return course.shows_delays && course.in_plane == in_plane;
        });
        scan.facts.push_back("readouts corrected by `delays` " + found->delays().rounded().word());
        scan.findings.push_back(finding_on(Found::delays_corrected, *found));
    } else if (is_sure && found->fit.left_before > times_less_of_others * found->fit.left) {
        scan.findings.push_back(finding_on(Found::delays_found, *found));
    } else if (is_requested && !found->is_known()) {
        scan.findings.push_back(finding_on(Found::delays_unknown, *found));
    }
    for (const auto& number : found->numbers()) {
        preparation.numbers.push_back(number);
    }
    preparation.delays = found;
}

StepCost cost_of_delays(const ScanToPrepare& of) {
    const DelaysSource& source = of.options.delays;
    const Trajectory& trajectory = *of.scan.frames.front().trajectory;
    const ReadoutCourse course(trajectory);
    const bool has_field = is_default(source) && of.scan.off_resonance;
    if (is_none(source) || std::holds_alternative<Delays>(source) || of.scan.voxels || has_field ||
        !course.shows_delays) {
        return {};
    }
    Transforms& transforms = of.transforms.for_estimates();
    const double transforms_of_fit = course.in_plane ? 12 : 24; // by an image each
    constexpr double iterations = 15;
    const Grid box = box_of_fit(of.grid);
    const Grid grid = with_room(box, of.grid);
    std::vector<Vec3> inside;
    for (const std::size_t m : some_within(trajectory.positions, box, samples_a_cell(box))) {
        inside.push_back(trajectory.positions[m]);
    }
    const auto coils = static_cast<double>(std::min(of.scan.coils(), most_coils(box)));
    const PiecewiseTransform fhd(transforms, inside, Voxels::of_grid(grid));
    const double product =
        Toeplitz::seconds(transforms.device(), grid, transforms.solver_precision(), 1);
    return {{{"delays", transforms_of_fit * (fhd.predicted("fhd", std::size_t(coils)).seconds +
                                             iterations * coils * product) +
                            transforms.device().machine_model().making}},
            cost_of_fhd(transforms, std::size_t(coils), inside.size(), grid.voxels())};
}

} // namespace lsrecon
