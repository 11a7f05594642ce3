// Finds the phases of lines of each slice and one shift of the scan, and applies them.

#include "model/line_correction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "model/steps.hpp"
#include "scan/line_phases.hpp"
#include "scan/readouts.hpp"

namespace lsrecon {

namespace {

using Eigen::Index;

/// The lines of a frame.
struct FrameLines {
    FrameReadouts readouts;
    std::optional<LineClasses> classes; ///< none where there is nothing to correct
};

FrameLines lines_of(const Trajectory& trajectory, FrameReadouts readouts) {
    FrameLines lines{std::move(readouts), {}};
    if (lines.readouts.ends.size() >= 2 * FrameReadouts::fewest) {
        lines.classes = line_classes(trajectory.positions, lines.readouts);
    }
    if (lines.classes && !lines.classes->both_ways && lines.classes->count < 2) {
        lines.classes.reset();
    }
    return lines;
}

class LineCorrection {
public:
    explicit LineCorrection(ScanInPreparation& preparation)
        : preparation_(preparation), scan_(preparation.scan) {
        for (std::size_t f = 0; f < scan_.frames.size(); ++f) {
            const Trajectory& trajectory = *scan_.frames[f].trajectory;
            const bool known = f > 0 && scan_.frames[f - 1].trajectory.get() == &trajectory &&
                               scan_.readouts.empty();
            lines_.push_back(known ? lines_.back()
                                   : lines_of(trajectory, scan_.readouts.empty()
                                                              ? readouts_of(trajectory)
                                                              : scan_.readouts[f]));
        }
    }

    bool applies() const {
        return std::any_of(lines_.begin(), lines_.end(),
                           [](const FrameLines& lines) { return lines.classes.has_value(); });
    }
    bool both_ways() const {
        return std::any_of(lines_.begin(), lines_.end(), [](const FrameLines& lines) {
            return lines.classes && lines.classes->both_ways;
        });
    }

    void take(const std::array<double, 2>& given) {
        LinePhases phases;
        phases.values = Eigen::Vector2d(given[0], given[1]);
        phases_.assign(lines_.size(), phases);
    }
    void find();
    /// Whether any of what was found is a ghost, or is known.
    bool any_ghost() const { return any(&is_ghost); }
    bool any_known() const { return any(&is_known); }
    bool has_found() const {
        return any([](const LinePhases&) { return true; });
    }
    void apply();
    std::string in_words() const;
    void add_numbers() const;
    Finding finding() const;

private:
    template <typename Is> bool any(const Is& is) const {
        return std::any_of(phases_.begin(), phases_.end(),
                           [&](const auto& phases) { return phases.has_value() && is(*phases); });
    }
    std::optional<LinePhases> found_in(std::size_t f);
    std::optional<LinePhases> found_in(const Slice& slice);
    void share_shift();
    void correct_calibrations();

    ScanInPreparation& preparation_;
    Scan& scan_;
    std::vector<FrameLines> lines_; ///< of each frame
    std::vector<std::optional<LinePhases>> phases_; ///< of each frame
    bool by_navigators_ = false;
};

std::optional<LinePhases> LineCorrection::found_in(std::size_t f) {
    if (!lines_[f].classes || preparation_.frames.is_bad(f)) {
        return std::nullopt;
    }
    return preparation_.frames.look_at(f, [&](const Frame& frame) {
        return line_phases(*scan_.frames[f].trajectory, frame.samples, lines_[f].readouts,
                           *lines_[f].classes);
    });
}

std::optional<LinePhases> LineCorrection::found_in(const Slice& slice) {
    for (const std::size_t f : preparation_.frames.good_of(slice)) {
        if (std::optional<LinePhases> found = found_in(f)) {
            return found;
        }
    }
    return std::nullopt;
}

/// What navigators say of so many shots; none where a value of theirs is not finite.
std::optional<LinePhases> of_shots(const std::optional<LinePhases>& navigated, Index shots) {
    if (!navigated || !navigated->values.allFinite() || !navigated->covariance.allFinite()) {
        return std::nullopt;
    }
    LinePhases all = *navigated;
    all.values.conservativeResizeLike(RealVector::Zero(std::max(all.values.size(), 1 + shots)));
    all.covariance.conservativeResizeLike(
        Eigen::MatrixXd::Zero(all.values.size(), all.values.size()));
    return all;
}

void LineCorrection::find() {
    phases_.assign(lines_.size(), std::nullopt);
    for (const Slice& slice : preparation_.slices) {
        std::optional<LinePhases> by_lines;
        bool is_searched = false;
        for (const std::size_t f : slice.frames()) {
            if (!lines_[f].classes) {
                continue;
            }
            const Index shots = static_cast<Index>(lines_[f].classes->count);
            const std::optional<LinePhases>& of_frame = lines_[f].readouts.by_navigators;
            const std::optional<LinePhases> navigated = of_shots(of_frame, shots);
            if (navigated && of_frame->values.size() == 1 + shots) {
                phases_[f] = navigated;
                by_navigators_ = true;
                continue;
            }
            if (shots > 1) { // whose phases are of the moment
                by_lines = found_in(f);
            } else if (!is_searched) {
                by_lines = found_in(slice);
                is_searched = true;
            }
            phases_[f] = by_lines && is_known(*by_lines) ? by_lines
                         : navigated                     ? navigated
                                                         : by_lines;
        }
    }
    share_shift();
}

/// A shift is of the gradients: one for the whole scan. A phase moves with it as the two depend on
/// each other. Where a slice says nothing of its phase it has the mean one.
void LineCorrection::share_shift() {
    double weight = 0;
    double shift = 0;
    Complex phase = 0;
    for (const auto& phases : phases_) {
        if (phases && is_known(*phases) && phases->covariance(1, 1) > 0) {
            weight += 1 / phases->covariance(1, 1);
            shift += phases->values(1) / phases->covariance(1, 1);
            phase += std::polar(1 / phases->covariance(0, 0), phases->values(0));
        }
    }
    for (auto& phases : phases_) {
        if (!phases || weight == 0 || phases_.size() == 1) {
            continue;
        }
        if (is_known(*phases) && phases->covariance(1, 1) > 0) {
            const RealVector slope = phases->covariance.col(1) / phases->covariance(1, 1);
            phases->values += slope * (shift / weight - phases->values(1));
            phases->values(1) = shift / weight; // the same bits for all
        } else {
            phases->values.setZero();
            phases->values.head(2) = Eigen::Vector2d(std::arg(phase), shift / weight);
        }
    }
}

void LineCorrection::apply() {
    std::map<std::pair<const Trajectory*, double>, std::shared_ptr<const Trajectory>> moved;
    for (std::size_t f = 0; f < lines_.size(); ++f) {
        if (!lines_[f].classes || !phases_[f]) {
            continue;
        }
        std::shared_ptr<const Trajectory>& own = scan_.frames[f].trajectory;
        const double shift = phases_[f]->values(1);
        auto& known = moved[{own.get(), shift}];
        if (!known && shift != 0) {
            Trajectory of = *own;
            of.positions =
                shifted_lines(own->positions, lines_[f].readouts, *lines_[f].classes, shift);
            known = std::make_shared<const Trajectory>(std::move(of));
        }
        own = shift != 0 ? known : own;
    }
    correct_calibrations();
    preparation_.slices = slices_of(scan_);
    preparation_.frames.change([lines = lines_, phases = phases_](std::size_t index, Frame& frame) {
        if (lines[index].classes && phases[index]) {
            remove_phases(*phases[index], lines[index].readouts, *lines[index].classes,
                          frame.samples);
        }
    });
}

/// Calibrations whose lines run both ways have phases of their own, or those of the image.
void LineCorrection::correct_calibrations() {
    const auto of_image = std::find_if(phases_.begin(), phases_.end(),
                                       [](const auto& phases) { return phases.has_value(); });
    for (Frame& calibration : scan_.calibrations) {
        const FrameLines lines =
            lines_of(*calibration.trajectory, readouts_of(*calibration.trajectory));
        if (!lines.classes || !lines.classes->both_ways) {
            continue;
        }
        const std::optional<LinePhases> found = line_phases(
            *calibration.trajectory, calibration.samples, lines.readouts, *lines.classes);
        const LinePhases& phases = found && is_known(*found) ? *found : **of_image;
        Trajectory moved = *calibration.trajectory;
        moved.positions =
            shifted_lines(moved.positions, lines.readouts, *lines.classes, phases.values(1));
        calibration.trajectory = std::make_shared<const Trajectory>(std::move(moved));
        remove_phases(phases, lines.readouts, *lines.classes, calibration.samples);
    }
}

/// "0.5031 +- 0.002"
std::string with_deviation(double value, double variance) {
    return text(rounded(value), variance > 0 ? text(" +- ", rounded(std::sqrt(variance))) : "");
}

std::string LineCorrection::in_words() const {
    const LinePhases& first = **std::find_if(phases_.begin(), phases_.end(),
                                             [](const auto& one) { return one.has_value(); });
    std::string words;
    if (both_ways()) {
        words = text("lines that run backwards have a phase of ",
                     with_deviation(first.values(0), first.covariance(0, 0)), " rad and lie ",
                     with_deviation(first.values(1), first.covariance(1, 1)),
                     " samples further along k");
    }
    for (Index shot = 1; shot + 1 < first.values.size(); ++shot) {
        words += text(words.empty() ? "" : ", ", "shot ", shot, " has a phase of ",
                      with_deviation(first.values(1 + shot), first.covariance(1 + shot, 1 + shot)),
                      " rad");
    }
    const double ghost = std::min(1.0, ghost_of(first)); // of small phases
    return words + text(phases_.size() > 1 ? " in the first frame" : "",
                        by_navigators_ ? ", by navigators" : "", ": a ghost of ",
                        rounded(100 * ghost), " % of the object");
}

void LineCorrection::add_numbers() const {
    const LinePhases& first = **std::find_if(phases_.begin(), phases_.end(),
                                             [](const auto& one) { return one.has_value(); });
    const auto add = [&](const std::string& name, Index i) {
        preparation_.numbers.emplace_back(name, first.values(i));
        preparation_.numbers.emplace_back(name + "_deviation", std::sqrt(first.covariance(i, i)));
    };
    if (both_ways()) {
        add("epi_phase", 0);
        add("epi_shift", 1);
    }
    for (Index shot = 1; shot + 1 < first.values.size(); ++shot) {
        add(text("shot_", shot, "_phase"), 1 + shot);
    }
}

Finding LineCorrection::finding() const {
    const auto found = std::find_if(phases_.begin(), phases_.end(), [](const auto& one) {
        return one.has_value() && is_ghost(*one);
    });
    const RealVector& values = (*found)->values;
    const auto degrees = [](double phase) { return std::round(180 / pi * phase); };
    if (both_ways()) {
        return {Found::directions_differ,
                {{"degrees", degrees(values(0))},
                 {"samples", std::round(100 * values(1)) / 100},
                 {"gain", 1}}};
    }
    return {Found::shots_differ,
            {{"degrees", degrees(std::abs(values(2)))}, {"gain", 1}, {"lines", 1}},
            {{"which", "lines of segments 0 and 1"}}};
}

/// Takes out what was said of lines before they were corrected, or are looked at again here.
void drop_findings(Findings& findings, bool shots) {
    findings.erase(std::remove_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) {
                                      return is_about_line_phases(finding) &&
                                             (shots || finding.code != Found::shots_differ);
                                  }),
                   findings.end());
}

} // namespace

void correct_lines(ScanInPreparation& preparation) {
    LineCorrection correction(preparation);
    Scan& scan = preparation.scan;
    const LineCorrectionOptions& options = preparation.options.lines;
    if (options.given) {
        if (!correction.both_ways()) {
            throw UsageError("`epi_phase` PHASE,SHIFT: no lines of a shot run both ways\n  next:  "
                             "   leave it out");
        }
        correction.take(*options.given);
        drop_findings(scan.findings, false);
        correction.apply();
        scan.facts.push_back(correction.in_words() + ", as given, and is taken out");
        return;
    }
    if (!correction.applies()) {
        return;
    }
    {
        const Stage stage(preparation.report, "lines");
        correction.find();
    }
    if (!correction.any_known()) {
        if (correction.both_ways()) {
            drop_findings(scan.findings, false);
            scan.findings.push_back({Found::directions_unknown});
        }
        return;
    }
    const bool is_ghost = correction.any_ghost();
    if (correction.both_ways() || is_ghost) {
        correction.add_numbers();
        scan.facts.push_back(correction.in_words() + (!is_ghost ? ", which is left as it is"
                                                      : options.is_off
                                                          ? ", which `epi_phase` none leaves"
                                                          : ", which is taken out"));
        drop_findings(scan.findings, is_ghost);
    }
    if (is_ghost && options.is_off) {
        scan.findings.push_back(correction.finding());
    } else if (is_ghost) {
        correction.apply();
    }
}

} // namespace lsrecon
