#include "reconstruct_choices.hpp"

#include <cmath>
#include <utility>

#include "base/numbers.hpp"
#include "base/packed.hpp"
#include "encoding/lambda_curve.hpp"
#include "encoding/methods.hpp"
#include "encoding/solvers.hpp"

namespace lsrecon {

namespace {

/// Names the candidates that are not weighed because memory has no room for them.
void note_left_out(const Run& run, SolveFacts facts, std::size_t weighed) {
    const std::uint64_t too_large = std::exchange(facts.too_large, 0);
    if (candidates_of(run.asked, facts).size() == weighed) {
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

Choices choose(Run& run, SolveFacts facts, TurnAhead& ahead) {
    Choices choices;
    run.how = settle(run.asked, facts);
    if (const auto candidates = candidates_of(run.asked, facts); !candidates.empty()) {
        note_left_out(run, facts, candidates.size());
        choices.weight = choose_weight_ahead(run, candidates, ahead);
        facts.set(*choices.weight);
    } else if (const RuleChoice rule = rule_of(run.asked); !rule.word.empty()) {
        choices.curve = choose_lambda_ahead(run, rule, ahead);
        facts.lambda = choices.curve->at_chosen().lambda;
    } else {
        return choices;
    }
    run.how = settle(run.asked, facts);
    put_choices(run, ahead);
    return choices;
}

/// Whether the curve begins at the chosen lambda because the transforms resolve no smaller one.
bool is_cut(const std::optional<LambdaCurve>& curve) {
    return curve && curve->chosen.index == 0 && curve->at_chosen().lambda > smallest_lambda;
}

/// The largest ||F^H d|| / (Q(0) ||rho||) of all problems, for the images of so many plain
/// iterations. It grows with each iteration.
double gain_after(int iterations, const Run& run, NormalEquations& equations,
                  const std::vector<Volume>& fhd) {
    System* const device = solver_of(run.how).on_device ? equations.on_device() : nullptr;
    System& system = device != nullptr ? *device : equations.on_reference();
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
bool may_show(const Run& run) {
    constexpr double large_lambda = 0.1;
    const bool is_small = run.how.lambda > 0 && run.how.lambda < large_lambda;
    return method_of(run.how).solves && !need_all_frames(run.how.regularisers) &&
           (is_small || run.asked.certify > 0);
}

/// Why errors like these must not stay; "" where they may.
std::string why_not(const ImageFrame& errors, const Run& run) {
    constexpr double room = 2; // by which the bound after the solve may be larger
    const double bound = errors.certificate.image.upper;
    if (run.asked.certify > 0 && room * bound > run.asked.certify) {
        return text("The image could be wrong by ", rounded(bound));
    }
    const bool is_lost = run.how.lambda > 0 && run.how.lambda < errors.resolved_lambda;
    return is_lost || errors.image_error > run.how.image_tolerance
               ? text("Errors of the transforms may show with lambda ", rounded(run.how.lambda))
               : "";
}

/// Why the transforms would have to be more exact; "" where they need not.
std::string why_more_exact(const Run& run, const Choices& choices, bool is_accuracy_asked_for,
                           TurnAhead& ahead) {
    if (is_cut(choices.curve)) {
        return text("No lambda below ", rounded(choices.curve->at_chosen().lambda),
                    " is told from errors of the transforms");
    }
    if (is_accuracy_asked_for || !may_show(run) || (!ahead.of_frame && !look_ahead(run, ahead))) {
        return "";
    }
    SamplingTurn& turn = *ahead.sampling;
    FrameTurn& of_frame = *ahead.of_frame;
    if (run.how.lambda == 0) { // what iterations leave of errors is known after these
        return why_not(solve_frame(run, turn, of_frame, nullptr), run);
    }
    turn.equations.prepare(run.report);
    const auto why_with = [&](double gain, bool refined) {
        return why_not(errors_by_gain(run, turn, of_frame, gain, refined), run);
    };
    constexpr int few = 10;
    return why_with(gain_after(1, run, turn.equations, of_frame.fhd), false).empty()
               ? ""
               : why_with(gain_after(few, run, turn.equations, of_frame.fhd), true);
}

/// The transforms of the run, as they are and otherwise.
class Computing {
public:
    Computing(const Run& run, const Formulation& formulation)
        : run_(run), voxels_(formulation.voxels),
          points_(run.scan().frames[run.prepared.first_good()].sampling->points()),
          asked_(run.transforms.options()) {}

    const ComputeOptions& now() const { return run_.transforms.options(); }
    bool is_accuracy_asked_for() const {
        return asked_.accuracy > 0 && !asked_.accuracy_is_of_image;
    }
    bool is_exact() const { return run_.transforms.engine_for(points_, voxels_).exact; }
    double seconds() const {
        return run_.transforms.cost_by_model(run_.transforms.precision(), "fhd", points_, voxels_)
            .seconds;
    }
    /// From now on: what was made ahead is dropped.
    void set(const ComputeOptions& how, TurnAhead& ahead) {
        ahead.drop_transformed();
        run_.qs.forget();
        run_.transforms.compute_as(how);
    }
    void set_as_asked(TurnAhead& ahead) {
        const bool is_otherwise =
            now().accuracy != asked_.accuracy || now().precision != asked_.precision;
        if (is_accuracy_asked_for() && is_otherwise) {
            set(asked_, ahead);
        }
    }

private:
    const Run& run_;
    const Voxels& voxels_;
    SamplePoints points_;
    ComputeOptions asked_;
};

/// How the transforms compute where they would show; null where that is how they do.
std::optional<ComputeOptions> better_than_now(const Run& run, const Choices& choices,
                                              const Computing& computing) {
    const bool in_doubles = computing.now().precision == Precision::float64;
    if (!run.transforms.device().has(Precision::float64) || (in_doubles && computing.is_exact())) {
        return std::nullopt;
    }
    return more_exact(computing.now(), run.asked,
                      is_cut(choices.curve) ? smallest_lambda : run.how.lambda);
}

Choices choose_exactly(Run& run, const Formulation& formulation, const SolveFacts& facts,
                       TurnAhead& ahead) {
    const bool in_segments = formulation.off_resonance && run.transforms.segment_error() > 0;
    if (run.qs.are_given() || in_segments) { // whose errors stay
        return choose(run, facts, ahead);
    }
    Computing computing(run, formulation);
    const bool chooses =
        !candidates_of(run.asked, facts).empty() || !rule_of(run.asked).word.empty();
    if (chooses && !computing.is_exact()) {
        computing.set(with_accuracy_of_choice(computing.now(), run.asked), ahead);
    }
    Choices choices = choose(run, facts, ahead);
    const auto better = better_than_now(run, choices, computing);
    if (const std::string why =
            better ? why_more_exact(run, choices, computing.is_accuracy_asked_for(), ahead) : "";
        !why.empty()) {
        const double before = computing.seconds();
        computing.set(*better, ahead);
        run.report.add({Found::double_precision,
                        {{"while_choosing", computing.is_accuracy_asked_for()},
                         {"accuracy", better->accuracy},
                         {"times", computing.seconds() / before}},
                        {{"why", why}}});
        if (is_cut(choices.curve)) {
            choices = choose(run, facts, ahead);
        }
    }
    computing.set_as_asked(ahead);
    if (ahead.of_frame && !ahead.place) {
        look_ahead(run, ahead);
    }
    return choices;
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

KeptChoices kept(const Choices& choices, const Run& run, std::size_t known) {
    const ComputeOptions& compute = run.transforms.options();
    const Findings& findings = run.report.findings();
    return {choices,
            compute.precision,
            compute.accuracy,
            compute.accuracy_is_of_image,
            {findings.begin() + static_cast<std::ptrdiff_t>(known), findings.end()}};
}

/// Goes on with what another run has chosen.
Choices take(KeptChoices kept, SolveFacts facts, const Formulation& formulation, Run& run) {
    ComputeOptions compute = run.transforms.options();
    compute.precision = kept.precision;
    compute.accuracy = kept.accuracy;
    compute.accuracy_is_of_image = kept.accuracy_is_of_image;
    run.transforms.compute_as(compute);
    const Sampling& first = *run.scan().frames[run.prepared.first_good()].sampling;
    run.transforms.record_as_made("fhd", first.points(), formulation.voxels);
    if (kept.choices.weight) {
        facts.set(*kept.choices.weight);
    }
    if (kept.choices.curve) {
        facts.lambda = kept.choices.curve->at_chosen().lambda;
    }
    run.how = settle(run.asked, facts);
    run.report.add(kept.findings);
    if (kept.choices.weight || kept.choices.curve) {
        run.report.tell(text("as the run before chose: lambda ", rounded(run.how.lambda), " ",
                             in_words(run.how.regularisers)));
    }
    return std::move(kept.choices);
}

} // namespace

Choices choose_by_samples(Run& run, const Formulation& formulation, const SolveFacts& facts,
                          ImageSink& sink, TurnAhead& ahead) {
    std::string before = sink.chosen(run.scan());
    run.transforms.ranks().broadcast(0, before);
    if (!before.empty()) {
        auto kept = unpacked<KeptChoices>(before);
        if (run.transforms.device().has(kept.precision.value_or(Precision::float32))) {
            return take(std::move(kept), facts, formulation, run);
        }
    }
    const std::size_t known = run.report.findings().size();
    Choices choices = choose_exactly(run, formulation, facts, ahead);
    sink.keep_chosen(packed(kept(choices, run, known)));
    return choices;
}

} // namespace lsrecon
