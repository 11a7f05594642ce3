#include "reconstruct_turns.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "encoding/choose_lambda.hpp"
#include "encoding/choose_weight.hpp"
#include "encoding/methods.hpp"
#include "encoding/misfit.hpp"
#include "encoding/solve.hpp"
#include "plan/plan.hpp"
#include "plan/settle.hpp"
#include "scan/coil_mixing.hpp"
#include "solve/late_change.hpp"

namespace lsrecon {

namespace {

/// False where this frame is refused, which is reported when its turn comes.
template <typename Action> bool unless_refused(const Action& action) {
    try {
        action();
        return true;
    } catch (const RunError&) {
        throw;
    } catch (const InputError&) {
        return false;
    }
}

Model model_of(const Run& run, const Place& place) {
    Model model = run.prepared.model_of(place);
    if (model.prior) {
        require_prior(run.how.regularisers, *model.prior, run.scan().grid);
    }
    return model;
}

/// Weights of a method that does not solve; null of one that does.
std::function<Density(const Sampling&)> density_for(const Run& run,
                                                    const Formulation& formulation) {
    const Method& method = method_of(run.how);
    if (method.solves) {
        return nullptr;
    }
    return [&run, &method, &formulation](const Sampling& sampling) {
        const Stage stage(run.report, "density");
        Density density = method.density(sampling, run.scan(), formulation, run.how);
        run.report.add(density.findings);
        return density;
    };
}

CommonToFrames common_to_frames(const Run& run, const Model& model,
                                const Formulation& formulation) {
    const Certified certified = !method_of(run.how).solves ? Certified::never
                                : run.asked.certify > 0    ? Certified::of_all
                                                           : Certified::of_engines_not_exact;
    return {run.transforms,
            formulation,
            *model.coil_maps,
            run.how.lambda,
            [&run](const Sampling& sampling) { return run.qs.of(sampling, run.scan().grid); },
            run.how.regularisers,
            model.prior.get(),
            run.how.precondition,
            certified,
            &method_of(run.how),
            density_for(run, formulation)};
}

double most_noise_of(const Run& run, const Frame& frame) {
    const bool is_compared = run.scan().noise.empty() && method_of(run.how).solves;
    return is_compared ? most_energy_of_noise(*frame.sampling, frame.samples) *
                             frame.sampling->sum_of_weights()
                       : 0;
}

void compare_models(const Run& run, PlaceTurn& here, const Frame& frame, std::size_t f) {
    if (here.is_compared || !method_of(run.how).solves) {
        return;
    }
    here.is_compared = true;
    const std::size_t first = *run.prepared.first_good_of(here.place); // f, if no other
    const auto compare = [&](const Frame& by) {
        run.model_check.compare(run.scan(), here.place.index, here.model, by, run.report);
    };
    if (first == f) {
        compare(frame);
    } else {
        unless_refused([&] { compare(run.prepared.frame(first)); });
    }
}

/// Solves once more with an error of F^H d as large as its bound, and records how much the image
/// changes: neither iterations nor lambda tell that here.
void measure_error(const Run& run, NormalEquations& equations, const FrameTurn& turn,
                   const Solved& solved, ImageFrame& image) {
    const double gain = *std::min_element(solved.gains.begin(), solved.gains.end());
    const ErrorEstimate error = error_of_equations(image.certificate, gain);
    if (run.asked.certify == 0 || image.certificate.image.upper > 0 || error.upper == 0) {
        return;
    }
    const Stage stage(run.report, "certify");
    const Solved other = solve(equations, with_errors(turn.fhd, error.upper), run.how);
    const double moved = relative_change(image.values, other.image);
    image.certificate.image = {moved * error.estimate / error.upper, moved};
    image.image_error = image.certificate.image.estimate;
}

/// The samples determine most of many images: then lambda is not all that holds errors.
void refine(const Run& run, SamplingTurn& turn, ImageFrame& image) {
    const double lambda = run.how.lambda;
    const bool by_iterations = image.certificate.voxels > 0 && !run.how.precondition;
    const double asked = run.asked.certify > 0 ? run.asked.certify : run.how.image_tolerance;
    if (std::max(image.image_error, image.certificate.image.upper) <= asked || by_iterations ||
        turn.here.formulation.products() != Products::one_convolution) {
        return;
    }
    if (turn.amplification == 0) {
        turn.amplification = amplification(turn.equations, lambda, run.how, run.report);
    }
    const double less = std::min(1.0, lambda * turn.amplification);
    ErrorEstimate& sampled = image.certificate.image;
    sampled.upper *= less;
    sampled.estimate = std::min(sampled.estimate, sampled.upper);
    image.image_error = sampled.upper > 0 ? sampled.estimate : less * image.image_error;
}

/// A slice at the edge, or a contrast without signal, has too large a lambda for all others: of
/// some good frames from all over the scan those of most energy a sample, the brightest first.
std::vector<std::size_t> bright_frames(const Run& run) {
    constexpr std::size_t most_read = 8;
    std::vector<std::size_t> good;
    for (std::size_t f = 0; f < run.scan().frames.size(); ++f) {
        if (!run.prepared.is_bad(f)) {
            good.push_back(f);
        }
    }
    std::vector<std::pair<double, std::size_t>> by_energy; // of a sample
    const std::size_t reads = good.size() > 1 ? std::min(most_read, good.size()) : 0;
    for (std::size_t i = 0; i < reads; ++i) {
        // No whole number of frames apart: every eighth may be the same contrast.
        const std::size_t f = good[i * (good.size() - 1) / (reads - 1)];
        unless_refused([&] {
            const Frame frame = run.prepared.frame(f);
            by_energy.emplace_back(
                energy_of(*frame.sampling, frame.samples) / frame.sampling->sum_of_weights(), f);
        });
    }
    std::stable_sort(by_energy.begin(), by_energy.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::size_t> frames;
    for (const auto& [energy, f] : by_energy) {
        frames.push_back(f);
    }
    return frames;
}

} // namespace

PlaceTurn::PlaceTurn(const Run& run, const Place& of)
    : place(of), model(model_of(run, of)),
      formulation(formulate(run.scan(), model, run.formulation_options)),
      equations(common_to_frames(run, model, formulation)) {}

SamplingTurn::SamplingTurn(const Run& run, PlaceTurn& of, const Sampling& by)
    : here(of), sampling(by),
      equations(of.equations, by,
                route_of(run.transforms, by.points(), of.formulation, run.how,
                         of.equations.maps.count(), run.frames_of_each)) {}

void begin(const Run& run, const Place& place, const Sampling& sampling,
           std::unique_ptr<PlaceTurn>& here, std::unique_ptr<SamplingTurn>& turn) {
    if (!here) {
        here = std::make_unique<PlaceTurn>(run, place);
    }
    if (!turn) {
        turn = std::make_unique<SamplingTurn>(run, *here, sampling);
    }
}

FrameTurn begin_frame(const Run& run, SamplingTurn& of, std::size_t f) {
    FrameTurn turn;
    turn.frame = run.prepared.frame(f);
    turn.energy = energy_of(*turn.frame.sampling, turn.frame.samples);
    turn.most_noise = most_noise_of(run, turn.frame);
    turn.fhd = of.equations.fhd_in_stage(turn.frame.samples, run.report);
    turn.certificate = of.equations.certify(turn.frame.samples, turn.fhd, run.report);
    compare_models(run, of.here, turn.frame, f);
    turn.frame.samples = {}; // what follows needs their memory
    return turn;
}

ImageFrame solve_frame(const Run& run, SamplingTurn& turn, FrameTurn& of_frame,
                       const Monitor& monitor) {
    constexpr int many = 20; // iterations, to which another one adds little
    NormalEquations& equations = turn.equations;
    SolveOptions options = run.how;
    options.monitor = monitor;
    options.looks_ahead =
        !options.precondition &&
        (run.asked.certify > 0 || (options.iterations >= many && equations.are_certified()));
    const Solved solved = solve_in_stage(equations, of_frame.fhd, options, run.report);
    equations.certify_gram(of_frame.certificate, run.report);
    ImageFrame image = image_of(run, of_frame.frame, solved, equations.error(),
                                of_frame.certificate, equations.unknowns());
    refine(run, turn, image);
    if (!solved.gains.empty()) { // of a solve
        measure_error(run, equations, of_frame, solved, image);
    }
    give_back_memory();
    const double noise =
        energy_of_noise(run.scan().noise) * of_frame.frame.sampling->sum_of_weights();
    compare_with_samples(image, solved.explained, of_frame.energy, noise, of_frame.most_noise);
    return in_units_of_maps(std::move(image), turn.here.model);
}

ImageFrame image_of(const Run& run, const Frame& frame, const Solved& solved, double error,
                    const Certificate& certificate, std::size_t unknowns) {
    ImageFrame image = to_image(frame, solved);
    estimate_rounding(image, solved.gains, run.how.lambda, error, run.transforms.epsilon());
    estimate_by_certificate(image, solved, certificate, run.how.lambda, unknowns);
    return image;
}

ImageFrame errors_by_gain(const Run& run, SamplingTurn& turn, FrameTurn& of_frame, double gain,
                          bool refined) {
    NormalEquations& equations = turn.equations;
    equations.certify_gram(of_frame.certificate, run.report);
    Solved like;
    like.gains = {gain};
    ImageFrame errors;
    estimate_rounding(errors, like.gains, run.how.lambda, equations.error(),
                      run.transforms.epsilon());
    estimate_by_certificate(errors, like, of_frame.certificate, run.how.lambda,
                            equations.unknowns());
    if (refined) {
        refine(run, turn, errors);
    }
    return errors;
}

ImageFrame in_units_of_maps(ImageFrame image, const Model& model) {
    image.maps_scale = model.maps_scale;
    if (image.maps_scale != 1) {
        image.values /= image.maps_scale;
    }
    return image;
}

void TurnAhead::drop_transformed() {
    sampling.reset();
    place.reset();
    if (of_frame) {
        of_frame->fhd.clear();
    }
}

std::unique_ptr<PlaceTurn> TurnAhead::take(const Place& of) {
    return place && place->place.index == of.index ? std::move(place) : nullptr;
}

std::unique_ptr<SamplingTurn> TurnAhead::take(const PlaceTurn& here, const Sampling& of) {
    const bool is_it = sampling && &sampling->here == &here && &sampling->sampling == &of;
    return is_it ? std::move(sampling) : nullptr;
}

std::optional<FrameTurn> TurnAhead::take(std::size_t of) {
    return of_frame && frame == of ? std::exchange(of_frame, std::nullopt) : std::nullopt;
}

namespace {

/// Begins the turns of the first of these frames that is not refused, or again those of the frame
/// ahead: its samples, transformed.
FrameTurn begin_one_of(const Run& run, std::vector<std::size_t> frames, TurnAhead& ahead) {
    std::optional<Frame> known;
    if (ahead.of_frame) {
        known = std::move(ahead.of_frame->frame);
        frames = {ahead.frame};
    }
    const auto begin = [&](std::size_t f) {
        const Place& place = run.prepared.place_of(f);
        ahead = {}; // its memory is that of the next
        ahead.frame = f;
        ahead.place = std::make_unique<PlaceTurn>(run, place);
        ahead.sampling =
            std::make_unique<SamplingTurn>(run, *ahead.place, *run.scan().frames[f].sampling);
    };
    if (std::none_of(frames.begin(), frames.end(),
                     [&](std::size_t f) { return unless_refused([&] { begin(f); }); })) {
        begin(run.prepared.first_good());
    }
    FrameTurn turn;
    turn.frame = known ? std::move(*known) : run.prepared.frame(ahead.frame);
    turn.fhd = ahead.sampling->equations.fhd_in_stage(turn.frame.samples, run.report);
    compare_models(run, *ahead.place, turn.frame, ahead.frame);
    return turn;
}

FrameTurn begin_bright_frame(const Run& run, TurnAhead& ahead) {
    return begin_one_of(run, ahead.of_frame ? std::vector<std::size_t>() : bright_frames(run),
                        ahead);
}

/// Frames of its place before and after the one ahead, some of eight with it: those that are solved
/// with it, as far as they are good.
std::map<std::size_t, Frame> neighbours_of(const Run& run, const TurnAhead& ahead) {
    std::vector<std::size_t> all = ahead.place->place.frames();
    std::sort(all.begin(), all.end());
    const auto at =
        static_cast<std::size_t>(std::find(all.begin(), all.end(), ahead.frame) - all.begin());
    const std::size_t count = std::min(most_frames_of_weight, all.size());
    const std::size_t first = std::min(at - std::min(at, count / 2), all.size() - count);
    std::map<std::size_t, Frame> others;
    for (std::size_t i = first; i < first + count; ++i) {
        if (i != at && !run.prepared.is_bad(all[i])) {
            unless_refused([&] { others.emplace(all[i], run.prepared.frame(all[i])); });
        }
    }
    return others;
}

/// What else the loop needs of a frame, before its samples go.
void hand_over(const Run& run, FrameTurn turn, TurnAhead& ahead) {
    turn.energy = energy_of(*turn.frame.sampling, turn.frame.samples);
    turn.certificate = ahead.sampling->equations.certify(turn.frame.samples, turn.fhd, run.report);
    turn.most_noise = most_noise_of(run, turn.frame);
    ahead.of_frame = std::move(turn);
}

} // namespace

LambdaCurve choose_lambda_ahead(const Run& run, const RuleChoice& rule, TurnAhead& ahead) {
    FrameTurn turn = begin_bright_frame(run, ahead);
    LambdaCurve curve = choose_lambda(rule, run.scan(), ahead.frame, turn.frame,
                                      ahead.sampling->equations, turn.fhd, run.how, run.report);
    curve.frame = ahead.frame;
    hand_over(run, std::move(turn), ahead);
    return curve;
}

ChosenSettings choose_weight_ahead(const Run& run, const std::vector<Candidate>& candidates,
                                   TurnAhead& ahead) {
    FrameTurn turn = begin_bright_frame(run, ahead);
    const Route route =
        route_of(run.transforms, turn.frame.sampling->points(), ahead.place->formulation, run.how,
                 ahead.place->equations.maps.count(), run.frames_of_each);
    const bool together = any_needs_all_frames(candidates);
    const std::map<std::size_t, Frame> others =
        together ? neighbours_of(run, ahead) : std::map<std::size_t, Frame>();
    std::map<std::size_t, const Frame*> in_order{{ahead.frame, &turn.frame}};
    for (const auto& [f, frame] : others) {
        in_order.emplace(f, &frame);
    }
    std::vector<const Frame*> frames;
    for (const auto& [f, frame] : in_order) {
        frames.push_back(frame);
    }
    const std::string& label = turn.frame.label;
    const std::string chosen_from =
        run.scan().frames.size() == 1
            ? ""
            : text(", chosen from ", label.empty() ? text("frame ", ahead.frame) : label,
                   " for all frames");
    ChosenSettings chosen = choose_weight(candidates, frames, ahead.place->equations.common, route,
                                          run.how, chosen_from, run.report);
    hand_over(run, std::move(turn), ahead);
    return chosen;
}

bool look_ahead(const Run& run, TurnAhead& ahead) {
    const bool is_there = unless_refused(
        [&] { hand_over(run, begin_one_of(run, {run.prepared.first_good()}, ahead), ahead); });
    if (!is_there) {
        ahead = {};
    }
    return is_there;
}

void put_choices(const Run& run, TurnAhead& ahead) {
    ahead.place->equations.common.regularisers = run.how.regularisers;
    ahead.place->equations.common.precondition = run.how.precondition;
    ahead.sampling->equations.set_lambda(run.how.lambda);
}

void go_on_with(TurnAhead& ahead, const Run& run) {
    ahead.of_frame->frame.samples = {};
    const Place& first = run.prepared.places().front();
    if (ahead.place->place.index != first.index ||
        &ahead.sampling->sampling != first.samplings.front().sampling.get()) {
        ahead.sampling.reset(); // the memory of others, which come first
    }
    if (ahead.place->place.index != first.index) {
        ahead.place.reset();
    }
}

} // namespace lsrecon
