// Chooses settings by the samples of the reference frame.

#include "reconstruct_first_pass.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/packed.hpp"
#include "encoding/lambda_curve.hpp"
#include "encoding/methods.hpp"
#include "encoding/sample_energy.hpp"

namespace lsrecon {

namespace {

/// Names the candidates that are not weighed because memory has no room for them.
void note_left_out(const Run& run, std::size_t weighed) {
    SolveFacts facts = run.facts;
    const std::uint64_t too_large = std::exchange(facts.too_large, 0);
    if (candidates_of(run.request, facts).size() == weighed) {
        return;
    }
    std::string names;
    std::uint64_t bit = 1;
    for (const Regulariser& row : regularisers()) {
        if ((too_large & bit) != 0) {
            names += (names.empty() ? "" : " and ") + row.name;
        }
        bit *= 2;
    }
    run.report.add({Found::regulariser_too_large, {}, {{"names", names}}});
}

/// Frames of the slice before and after a frame, some of eight with it: those that are solved with
/// it, as far as they are good.
std::map<std::size_t, Frame> neighbours_of(const Run& run, const Slice& slice, std::size_t f) {
    std::vector<std::size_t> all = slice.frames();
    std::sort(all.begin(), all.end());
    const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), f) - all.begin());
    const std::size_t count = std::min(most_frames_of_weight, all.size());
    const std::size_t first = std::min(at - std::min(at, count / 2), all.size() - count);
    std::map<std::size_t, Frame> others;
    for (std::size_t i = first; i < first + count; ++i) {
        if (i == at || run.prepared.is_bad(all[i])) {
            continue;
        }
        with_readable_frame([&] { others.emplace(all[i], run.prepared.frame(all[i])); });
    }
    return others;
}

/// Words that say from which frame of several a number was chosen; "" for the only one.
std::string chosen_from(const Run& run, const FrameData& data) {
    const std::string& label = data.frame.label;
    return run.scan().frames.size() == 1
               ? ""
               : text(", chosen from ", label.empty() ? text("frame ", data.index) : label,
                      " for all frames");
}

ChosenSettings choose_weight(const Run& run, const std::vector<Candidate>& candidates,
                             const TrajectoryScope& at, Route route, const FrameData& data) {
    std::map<std::size_t, Frame> others;
    if (any_needs_all_frames(candidates)) {
        others = neighbours_of(run, at.slice.slice, data.index);
    }
    std::map<std::size_t, const Frame*> in_order{{data.index, &data.frame}};
    for (const auto& [f, frame] : others) {
        in_order.emplace(f, &frame);
    }
    std::vector<const Frame*> frames;
    for (const auto& [f, frame] : in_order) {
        frames.push_back(frame);
    }
    ChosenSettings chosen = choose_weight(
        candidates, frames, {at.encoding.transforms(), at.slice.images, at.slice.known(), route},
        run.solve_before_choice, chosen_from(run, data), run.report);
    for (auto& [f, frame] : others) {
        run.prepared.keep(f, std::move(frame));
    }
    return chosen;
}

Choices choose(const Run& run, const Compute& compute, const TrajectoryScope& at,
               const FrameData& data) {
    Choices choices;
    if (const auto candidates = candidates_of(run.request, run.facts); !candidates.empty()) {
        note_left_out(run, candidates.size());
        choices.weight =
            choose_weight(run, candidates, at, compute.route_of(at.encoding.trajectory()), data);
    } else if (const RuleChoice rule = rule_of(run.request); !rule.word.empty()) {
        choices.curve = choose_lambda(rule, run.scan(), data.frame, *at.n, data.fhd,
                                      run.solve_before_choice, chosen_from(run, data), run.report);
        choices.curve->frame = data.index;
    }
    return choices;
}

SolveOptions settled(const Run& run, const Choices& choices) {
    SolveFacts facts = run.facts;
    if (choices.weight) {
        facts.set(*choices.weight);
    }
    if (choices.curve) {
        facts.lambda = choices.curve->at_chosen().lambda;
    }
    return settle(run.request, facts);
}

/// Whether the curve begins at the chosen lambda because the transforms resolve no smaller one.
bool is_cut(const Choices& choices) {
    const std::optional<LambdaCurve>& curve = choices.curve;
    return curve && curve->chosen.index == 0 && curve->at_chosen().lambda > smallest_lambda;
}

/// How many times relative errors of F^H d can grow in the image, ||F^H d|| / (Q(0) ||rho||) after
/// so many plain iterations, the largest of all problems. It grows with each iteration.
double gain_after(int iterations, System& system, const std::vector<Volume>& fhd) {
    SolveOptions options;
    options.iterations = iterations;
    options.tolerance = 1e-3;
    double largest = 0;
    for (const Volume& b : fhd) {
        const double size = system.iterate_plainly(b, options).x.norm();
        largest = std::max(largest, size > 0 ? b.norm() / (system.unit() * size) : 0);
    }
    return largest;
}

/// Whether something is known before the solve, without one: errors of transforms hardly show
/// with a large lambda, and where stopping early regularises only `certify` asks.
bool may_show(const Run& run, const SolveOptions& settings) {
    constexpr double large_lambda = 0.1;
    const bool is_small = settings.lambda > 0 && settings.lambda < large_lambda;
    return run.method().solves && !need_all_frames(settings.regularisers) &&
           (is_small || run.request.certify > 0);
}

/// Why errors like these must not stay; "" where they may.
std::string why_not(const ImageFrame& errors, const Run& run, const SolveOptions& settings) {
    constexpr double room = 2; // by which the bound after the solve may be larger
    const double bound = errors.certificate.image.upper;
    if (run.request.certify > 0 && room * bound > run.request.certify) {
        return text("The image could be wrong by ", rounded(bound));
    }
    const bool is_lost = settings.lambda > 0 && settings.lambda < errors.resolved_lambda;
    return is_lost || errors.image_error > settings.image_tolerance
               ? text("Errors of the transforms may show with lambda ", rounded(settings.lambda))
               : "";
}

/// Why the transforms would have to be more exact; "" where they need not.
std::string why_more_exact(const Run& run, const Choices& choices, const SolveOptions& settings,
                           bool is_accuracy_requested, TrajectoryScope& at, const FrameData& data) {
    if (is_cut(choices)) {
        return text("No lambda below ", rounded(choices.curve->at_chosen().lambda),
                    " can be distinguished from errors of the transforms");
    }
    if (is_accuracy_requested || !may_show(run, settings)) {
        return "";
    }
    if (settings.lambda == 0) { // what iterations leave of errors is known after these
        return why_not(solve_frame(at, data, settings, nullptr), run, settings);
    }
    System& system = at.problem(settings).system();
    const auto why_with = [&](double gain, bool refined) {
        return why_not(errors_by_gain(at, data, settings, gain, refined), run, settings);
    };
    constexpr int few = 10;
    return why_with(gain_after(1, system, data.fhd.volumes), false).empty()
               ? ""
               : why_with(gain_after(few, system, data.fhd.volumes), true);
}

/// How to compute more exactly where errors would show with this lambda; none where nothing is.
std::optional<ComputeOptions> better_than(Transforms& transforms, bool is_exact, const Run& run,
                                          double lambda) {
    const ComputeOptions& now = transforms.options();
    const bool is_most_exact = now.precision == Precision::float64 && is_exact;
    if (run.errors_stay || is_most_exact || !transforms.device().has(Precision::float64)) {
        return std::nullopt;
    }
    const ComputeOptions better = choose_compute(now, run.request, {true, lambda});
    return is_more_exact(better, now) ? std::optional(better) : std::nullopt;
}

double seconds_of(Transforms& transforms, const Encoding& encoding) {
    return transforms
        .cost_by_model(transforms.precision(), "fhd", encoding.trajectory().points(),
                       encoding.formulation().voxels)
        .seconds;
}

/// The choices for a run that continues this one, and what they came with.
struct KeptChoices {
    Choices choices;
    std::optional<Precision> precision;
    double accuracy = 0;
    bool accuracy_is_of_image = false;
    Findings findings;
    template <typename Archive> void each(Archive& archive) {
        archive(choices, precision, accuracy, accuracy_is_of_image, findings);
    }
};

/// Adds to chosen settings the room that frames solved together need, and the choices and findings
/// that a run which continues this one takes over.
Settings completed(Settings settings, const Run& run) {
    if (settings.are_for_all_frames_together()) {
        const Scan& scan = run.scan();
        settings.room =
            require_joint_budget(*settings.compute.transforms, scan, run.shape, settings.solve);
        run.report.info(settings.room.words);
    }
    const ComputeOptions& compute = settings.compute.transforms->options();
    const Findings& findings = run.report.findings();
    settings.kept = packed(KeptChoices{
        settings.choices,
        compute.precision,
        compute.accuracy,
        compute.accuracy_is_of_image,
        {findings.begin() + static_cast<std::ptrdiff_t>(run.known_findings), findings.end()}});
    return settings;
}

} // namespace

bool is_any_chosen(const Run& run) {
    return !candidates_of(run.request, run.facts).empty() || !rule_of(run.request).word.empty();
}

std::optional<Settings> settings_of_request(const Run& run, const Compute& compute,
                                            const Formulation& formulation) {
    if (is_any_chosen(run)) {
        return std::nullopt;
    }
    const SolveOptions& settings = run.solve_before_choice;
    Transforms& transforms = *compute.transforms;
    const Trajectory& first = *run.scan().frames[run.prepared.first_good()].trajectory;
    const bool is_exact = transforms.engine_for(first.points(), formulation.voxels).exact;
    const bool may_be_wrong = may_show(run, settings) &&
                              !transforms.options().is_accuracy_requested() &&
                              better_than(transforms, is_exact, run, settings.lambda).has_value();
    return may_be_wrong ? std::nullopt : std::optional(completed({settings, compute, {}}, run));
}

std::size_t reference_frame(const Run& run) {
    std::vector<std::size_t> good;
    for (std::size_t f = 0; f < run.scan().frames.size(); ++f) {
        if (!run.prepared.is_bad(f)) {
            good.push_back(f);
        }
    }
    std::size_t reference = run.prepared.first_good();
    double most = -1; // energy of a sample
    const std::size_t reads =
        is_any_chosen(run) && good.size() > 1 ? std::min(most_frames_to_compare, good.size()) : 0;
    for (std::size_t i = 0; i < reads; ++i) {
        // No whole number of frames apart: every eighth may be the same contrast.
        const std::size_t f = good[i * (good.size() - 1) / (reads - 1)];
        with_readable_frame([&] {
            const double energy = run.prepared.look_at(f, [](const Frame& frame) {
                return energy_of(*frame.trajectory, frame.samples) /
                       frame.trajectory->sum_of_weights();
            });
            if (energy > most) {
                most = energy;
                reference = f;
            }
        });
    }
    return reference;
}

Compute compute_to_choose_by(const Run& run, Transforms& requested,
                             const Formulation& formulation) {
    const std::shared_ptr<Transforms> as_requested(std::shared_ptr<Transforms>(), &requested);
    const Trajectory& first = *run.scan().frames[run.prepared.first_good()].trajectory;
    if (run.errors_stay || !is_any_chosen(run) ||
        requested.engine_for(first.points(), formulation.voxels).exact) {
        return {run, formulation, as_requested};
    }
    const ComputeOptions compute = choose_compute(requested.options(), run.request, {true});
    return {run, formulation,
            is_more_exact(compute, requested.options()) ? requested.with(compute) : as_requested};
}

Settings choose_settings(const Run& run, const ComputeOptions& requested,
                         const Formulation& formulation, Compute compute,
                         std::unique_ptr<TrajectoryScope>& at, FrameData& data) {
    const auto compute_by = [&](const ComputeOptions& options) {
        SliceScope& slice = at->slice;
        const Trajectory& trajectory = at->encoding.trajectory();
        at.reset(); // its memory is that of the next
        compute = Compute(run, formulation, compute.transforms->with(options));
        at = std::make_unique<TrajectoryScope>(run, slice, compute, trajectory);
        transform(*at, data);
    };
    const auto now = [&] { return compute.transforms->options(); };
    Choices choices = choose(run, compute, *at, data);
    SolveOptions settings = settled(run, choices);
    const bool is_accuracy_requested = requested.is_accuracy_requested();
    const std::optional<ComputeOptions> better =
        better_than(*compute.transforms, at->encoding.is_exact(), run,
                    is_cut(choices) ? smallest_lambda : settings.lambda);
    const std::string why =
        better ? why_more_exact(run, choices, settings, is_accuracy_requested, *at, data) : "";
    if (!why.empty()) {
        const double before = seconds_of(*compute.transforms, at->encoding);
        compute_by(*better);
        run.report.add({Found::double_precision,
                        {{"while_choosing", is_accuracy_requested},
                         {"accuracy", better->accuracy},
                         {"times", seconds_of(*compute.transforms, at->encoding) / before}},
                        {{"why", why}}});
        if (is_cut(choices)) {
            choices = choose(run, compute, *at, data);
            settings = settled(run, choices);
        }
    }
    if (is_accuracy_requested && !run.errors_stay &&
        (now().accuracy != requested.accuracy || now().precision != requested.precision)) {
        compute_by(requested);
    }
    return completed({settings, compute, choices}, run);
}

std::optional<Settings> settings_of_part(const Run& run, ImageSink& sink, Transforms& transforms,
                                         const Formulation& formulation) {
    std::string bytes = sink.chosen(run.scan());
    transforms.ranks().broadcast(0, bytes);
    if (bytes.empty()) {
        return std::nullopt;
    }
    const auto kept = unpacked<KeptChoices>(bytes);
    if (!transforms.device().has(kept.precision.value_or(Precision::float32))) {
        return std::nullopt;
    }
    ComputeOptions compute = transforms.options();
    compute.precision = kept.precision;
    compute.accuracy = kept.accuracy;
    compute.accuracy_is_of_image = kept.accuracy_is_of_image;
    Settings settings{settled(run, kept.choices),
                      Compute(run, formulation, transforms.with(compute)), kept.choices};
    const Trajectory& first = *run.scan().frames[run.prepared.first_good()].trajectory;
    settings.compute.transforms->record_as_made("fhd", first.points(), formulation.voxels);
    run.report.add(kept.findings);
    if (kept.choices.weight || kept.choices.curve) {
        run.report.info(text("as the run before chose: lambda ", rounded(settings.solve.lambda),
                             " ", in_words(settings.solve.regularisers)));
    }
    return completed(std::move(settings), run);
}

} // namespace lsrecon
