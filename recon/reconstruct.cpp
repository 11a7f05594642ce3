// One scan, from its samples to its image: read it top to bottom.

#include "reconstruct.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "encoding/choose_lambda.hpp"
#include "encoding/choose_weight.hpp"
#include "encoding/formulation.hpp"
#include "encoding/methods.hpp"
#include "encoding/noise_map.hpp"
#include "plan/cost.hpp"
#include "plan/plan.hpp"
#include "plan/settle.hpp"
#include "reconstruct_choices.hpp"
#include "reconstruct_joint.hpp"
#include "scan/check.hpp"
#include "schedule/frame_results.hpp"
#include "solve/cg.hpp"

namespace lsrecon {

namespace {

Record settings_of(const Run& run) {
    const SolveOptions& how = run.how;
    const ComputeOptions& compute = run.transforms.options();
    Record settings{{"method", method_of(how).name}};
    if (compute.accuracy_is_of_image) {
        settings.emplace_back("accuracy", text(compute.accuracy));
    }
    if (method_of(how).solves) {
        settings.insert(settings.end(), {{"lambda", exact(how.lambda)},
                                         {"regularisers", in_words(how.regularisers)},
                                         {"iterations", text(how.iterations)},
                                         {"tolerance", text(how.tolerance)},
                                         {"preconditioner", preconditioner_of(how)}});
    }
    return settings;
}

/// What the notes on the solves need to know of the run.
SolvedWith solved_with(const Run& run, const Formulation& formulation) {
    const SamplePoints points = run.scan().frames[run.prepared.first_good()].sampling->points();
    Transforms& transforms = run.transforms;
    return {transforms.epsilon(),
            !method_of(run.how).solves || transforms.engine_for(points, formulation.voxels).exact,
            formulation.off_resonance && transforms.segment_error() > 0,
            run.asked.effort.iterations.has_value(),
            formulation.coils_share_one_problem,
            formulation.off_resonance};
}

/// Adds the number that coil maps were divided by; where frames differ, the largest and the least.
void add_scales_of_maps(Image& about) {
    std::vector<double> scales;
    for (const ImageFrame& frame : about.frames) {
        if (!frame.failed()) {
            scales.push_back(frame.maps_scale);
        }
    }
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    if (scales.empty() || (*least == 1 && *most == 1)) {
        return;
    }
    about.numbers.emplace_back("coil_maps_divided_by", *most);
    if (*least != *most) {
        about.numbers.emplace_back("coil_maps_divided_by_least", *least);
    }
}

/// What the frames and their models say of the image.
void add_numbers(Image& about, const Run& run, const FrameResults& frames,
                 const SolveSummary& solves) {
    const auto add = [&](const std::string& name, double number) {
        about.numbers.emplace_back(name, number);
    };
    about.record.emplace_back("solver", solvers_of(about));
    for (const auto& [name, number] : solves.numbers()) {
        add(name, number);
    }
    const std::optional<PlaceMaps>& maps = run.prepared.maps_of_all();
    if (maps && !maps->values->empty()) {
        const SumOfSquares squares = sum_of_squares(*maps->values);
        add("coil_maps_squares_largest", maps->scale * maps->scale * squares.largest);
        add("coil_maps_squares_mean", maps->scale * maps->scale * squares.mean);
    }
    add_scales_of_maps(about);
    if (!frames.failed().empty()) {
        add("frames_failed", static_cast<double>(frames.failed().size()));
    }
    if (frames.finished_before() > 0) {
        add("frames_resumed", static_cast<double>(frames.finished_before()));
    }
    for (const auto& [name, number] : run.model_check.numbers()) {
        add(name, number);
    }
}

void add_noise_map(Image& about, std::size_t f, SamplingTurn& turn, const FrameTurn& of_frame,
                   const FrameResults& frames, const Run& run) {
    if (run.asked.noise_replicas > 0) {
        add_noise_map(about, f, frames.about()[f].stops, turn.equations, of_frame.fhd, run.scan(),
                      run.how, run.asked.noise_replicas, turn.here.model.maps_scale, run.report);
    }
}

/// Makes the noise map where an earlier run or another rank made the first good frame: of the first
/// frame that there is, which is read again. Its model was compared in its own turn.
void add_noise_map_of_finished(Image& about, const FrameResults& frames, const Run& run) {
    if (run.asked.noise_replicas == 0) {
        return;
    }
    const auto made = std::find_if(frames.about().begin(), frames.about().end(),
                                   [](const ImageFrame& frame) { return !frame.failed(); });
    const auto f = static_cast<std::size_t>(made - frames.about().begin());
    PlaceTurn here(run, run.prepared.place_of(f));
    here.is_compared = true;
    SamplingTurn turn(run, here, *run.scan().frames[f].sampling);
    add_noise_map(about, f, turn, begin_frame(run, turn, f), frames, run);
}

/// The bytes of Q that the run keeps: slices share samplings, and a single place uses its Q once.
double bytes_of_qs(const Device& device, std::size_t places) {
    constexpr double share_of_memory = 1.0 / 16;
    return places > 1 ? share_of_memory * device.memory() : 0;
}

/// The next run of the same transforms begins as the user asked.
class AsAsked {
public:
    explicit AsAsked(Transforms& transforms)
        : transforms_(transforms), asked_(transforms.options()) {}
    ~AsAsked() { transforms_.compute_as(asked_); }
    AsAsked(const AsAsked&) = delete;

private:
    Transforms& transforms_;
    ComputeOptions asked_;
};

/// What is known of the image once all frames are there.
void finish(Reconstructed& result, const FrameResults& frames,
            const std::optional<ChosenSettings>& weight, const std::optional<LambdaCurve>& curve,
            const Run& run) {
    Image& about = result.about;
    about.frames = frames.about();
    for (const ImageFrame& frame : about.frames) {
        result.solves.add(frame);
    }
    if (about.noise_map.size() == 0) {
        add_noise_map_of_finished(about, frames, run);
    }
    add_numbers(about, run, frames, result.solves);
    if (weight) {
        add_weight_curves(about, *weight);
    }
    if (curve) {
        add_lambda_curve(about, *curve);
    }
    if (const auto better = run.model_check.finding()) {
        run.report.add(*better);
    }
    run.report.add(result.solves.findings());
}

} // namespace

Reconstructed reconstruct(FrameSource& source, ImageSink& sink, Transforms& transforms,
                          ReconstructOptions options, Reporter& report) {
    require_samples(source.scan());
    const AsAsked as_asked(transforms);
    if (need_splitting(options.solve.regularisers) && options.effort.tolerance) {
        require_tolerance(*options.effort.tolerance, transforms.precision());
    }
    PreparedScan prepared(source, std::move(options.prepare), transforms, report);
    consider_method(prepared.findings(), options);
    report.add(prepared.findings());
    const Scan& scan = prepared.scan();
    sink.check(scan);
    QsOfRun qs(transforms, options.q, bytes_of_qs(transforms.device(), prepared.places().size()),
               report);
    const FormulationOptions formulation_options{qs.are_given(), needs_grid(options),
                                                 transforms.segment_error() > 0};
    const Formulation formulation = formulate(scan, prepared.has_maps(), formulation_options);
    qs.require(scan);

    ModelCheck model_check(transforms, prepared.maps_are_stored());
    FrameShape shape = shape_of_frames(scan, formulation);
    shape.samples = scan.most_samples();
    SolveFacts facts{formulation.products(), unit_roundoff(transforms.solver_precision()),
                     may_be_joint(transforms, options, scan, shape),
                     too_large_to_weigh(transforms, options, scan, shape)};
    // Each rank has found these by its own memory.
    transforms.ranks().broadcast(0, &facts.series, sizeof facts.series);
    transforms.ranks().broadcast(0, &facts.too_large, sizeof facts.too_large);
    Run run{prepared,
            transforms,
            qs,
            formulation_options,
            options,
            settle(options, facts),
            model_check,
            report,
            qs.are_given() ? 0 : frames_of_a_sampling(scan)};
    TurnAhead ahead;
    const auto& [weight, curve] = choose_by_samples(run, formulation, facts, sink, ahead);
    if (ahead.place) {
        go_on_with(ahead, run);
    }

    const bool together = need_all_frames(run.how.regularisers);
    sink.begin(scan, settings_of(run), !together);
    JobRanks alone;
    const bool divide = !together && scan.frames.size() > 1;
    const JointRoom room = together ? require_joint_room(run, formulation) : JointRoom();
    FrameResults frames(scan, prepared.places(), sink, divide ? transforms.part_ranks() : alone,
                        options.on_iteration, report);
    Image about = empty_image(scan);
    for (const Place& place : prepared.places()) {
        if (together) {
            solve_together(run, place, room, ahead, frames);
            continue;
        }
        std::unique_ptr<PlaceTurn> here = ahead.take(place);
        for (const SampledFrames& alike : place.samplings) {
            // Turns begin with the first frame that is solved here: a place of finished frames
            // makes no model, and one that fails is a result of its frames.
            std::unique_ptr<SamplingTurn> turn =
                here ? ahead.take(*here, *alike.sampling) : nullptr;
            for (const std::size_t f : alike.frames) {
                std::optional<FrameTurn> of_frame = ahead.take(f);
                const bool is_made = frames.take(f, [&] {
                    begin(run, place, *alike.sampling, here, turn);
                    if (!of_frame) {
                        of_frame = begin_frame(run, *turn, f);
                    }
                    return solve_frame(run, *turn, *of_frame, frames.monitor_of(f));
                });
                if (is_made && f == prepared.first_good() && !frames.are_elsewhere()) {
                    add_noise_map(about, f, *turn, *of_frame, frames, run);
                }
            }
        }
    }
    frames.end(model_check);
    Reconstructed result{SolveSummary(run.how, solved_with(run, formulation)), std::move(about),
                         frames.finished_before(), frames.failed(), together};
    if (!frames.are_elsewhere()) {
        finish(result, frames, weight, curve, run);
        sink.end(scan, result.about);
    }
    return result;
}

Reconstructed reconstruct(FrameSource& source, ImageSink& sink, ReconstructOptions options,
                          ComputeOptions compute) {
    require_consistent(options);
    Reporter nobody_watches;
    const auto transforms = open_transforms(with_accuracy_of_image(std::move(compute), options));
    return reconstruct(source, sink, *transforms, std::move(options), nobody_watches);
}

} // namespace lsrecon
