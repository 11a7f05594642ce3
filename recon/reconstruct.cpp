// One scan, from its samples to its image: read it top to bottom.

#include "reconstruct.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "plan/plan.hpp"
#include "prepare/scan_equations.hpp"
#include "reconstruct_frames.hpp"
#include "scan/check.hpp"
#include "solve/cg.hpp"
#include "solve/choose_lambda.hpp"
#include "solve/methods.hpp"
#include "solve/noise_map.hpp"

namespace lsrecon {

namespace {

/// What the user asked for, and what follows from it for this lambda.
SolveOptions settled(const ReconstructOptions& options, const RuleChoice& rule, double lambda,
                     Products products, Transforms& transforms) {
    SolveOptions asked = solving_by(rule, options.solve);
    asked.lambda = lambda;
    return with_effort(asked, options.effort, products,
                       unit_roundoff(transforms.solver_precision()));
}

Record settings_of(const SolveOptions& how) {
    const Method& method = method_of(how);
    if (!method.solves) {
        return {{"method", method.name}};
    }
    return {{"method", method.name},
            {"lambda", exact(how.lambda)},
            {"regularisers", in_words(how.regularisers)},
            {"iterations", text(how.iterations)},
            {"tolerance", text(how.tolerance)},
            {"preconditioner", preconditioner_of(how)}};
}

} // namespace

Reconstructed reconstruct(FrameSource& source, ImageSink& sink, Transforms& transforms,
                          ReconstructOptions options, Reporter& report) {
    require_samples(source.scan());
    const bool regularised = !options.solve.regularisers.empty();
    const bool together = need_all_frames(options.solve.regularisers);
    if (need_splitting(options.solve.regularisers) && options.effort.tolerance) {
        require_tolerance(*options.effort.tolerance, transforms.precision());
    }
    options.prepare.geometry.regularised = regularised;
    options.prepare.geometry.solves = method_of(options.solve).solves;
    PreparedScan prepared(source, std::move(options.prepare), transforms, report);
    const Scan& scan = prepared.scan();
    sink.expect(scan);
    ComputedQ computed(transforms, report);
    QSource& q = options.q != nullptr ? *options.q : computed;
    const PlanOptions plan_options{q.is_given(), regularised, transforms.segment_error() > 0};
    const Plan plan =
        make_plan(scan, prepared.at(prepared.place_of(prepared.first_good()).index), plan_options);
    q.require(scan);

    const RuleChoice rule = where_cheap(options.lambda_rule, plan.products());
    const bool by_rule = !rule.word.empty();
    SolveOptions how = settled(options, rule, by_rule ? smallest_lambda : options.solve.lambda,
                               plan.products(), transforms);
    const SampleErrors sampled = !method_of(how).solves ? SampleErrors::never
                                 : options.certify > 0  ? SampleErrors::of_all
                                                        : SampleErrors::of_engines_not_exact;
    ScanEquations equations(prepared, transforms, q, plan_options, how, sampled, report);
    std::optional<LambdaCurve> curve;
    if (by_rule) {
        curve = equations.choose_lambda(rule);
        how = settled(options, rule, curve->at_chosen().lambda, plan.products(), transforms);
        equations.set_lambda(how.lambda);
    }

    sink.begin(scan, settings_of(how));
    FrameSolves frames(prepared, equations,
                       {transforms, plan, how, options, curve ? &*curve : nullptr}, sink, report);
    for (const Place& place : prepared.places()) {
        if (together) {
            frames.solve_together(place);
            continue;
        }
        for (const SampledFrames& alike : place.samplings) {
            for (const std::size_t frame : alike.frames) {
                frames.solve(frame);
            }
        }
    }

    Reconstructed result = frames.result();
    if (frames.are_elsewhere()) {
        return result;
    }
    if (curve) {
        add_lambda_curve(result.about, *curve);
    }
    if (options.noise_replicas > 0) {
        frames.add_noise_map(result.about);
    }
    if (const std::string advice = equations.model().advice(); !advice.empty()) {
        report.note(advice);
    }
    result.solves.note(report);
    sink.end(scan, result.about);
    return result;
}

} // namespace lsrecon
