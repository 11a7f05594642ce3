// Predicts the time and memory of one reconstruction, from its file to its image, in the order of
// reconstruct.cpp.

#include "plan/plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/tolerance.hpp"
#include "encoding/certificate.hpp"
#include "encoding/choose_weight.hpp"
#include "encoding/lambda_curve.hpp"
#include "encoding/methods.hpp"
#include "engines/piecewise.hpp"
#include "model/conjugate_symmetry.hpp"
#include "model/model_check.hpp"
#include "model/steps.hpp"
#include "operators/gram.hpp"
#include "plan/cost.hpp"
#include "plan/settle.hpp"
#include "scan/slice.hpp"
#include "scan/trajectories.hpp"

namespace lsrecon {

namespace {

/// Seconds by the names of stages, in the order in which they are first added.
using Stages = std::vector<std::pair<std::string, double>>;

void add_stage(Stages& stages, const std::string& name, double seconds) {
    const auto same = std::find_if(stages.begin(), stages.end(),
                                   [&](const auto& stage) { return stage.first == name; });
    if (same != stages.end()) {
        same->second += seconds;
    } else if (seconds > 0) {
        stages.emplace_back(name, seconds);
    }
}

/// What a scan is reconstructed with, before it is prepared.
struct Prepared {
    Transforms& transforms;
    const ReconstructOptions& options;
    const Scan& scan;
    const Grid& grid;
    FrameShape shape;
    SolveFacts facts;
    SolveOptions settings;
    Formulation formulation;

    const MachineModel& machine() const { return transforms.device().machine_model(); }
    bool by_rule() const {
        return !rule_of(options).word.empty() && !need_splitting(settings.regularisers);
    }
    bool has_lambda_curve() const { return by_rule() && rule_of(options).word != held_out; }
    /// Whether the tolerance ends the solve, and not the most iterations.
    bool converges() const {
        const bool regularised = settings.lambda > 0 || !settings.regularisers.empty();
        return regularised && !need_splitting(settings.regularisers);
    }
    double expected_lambda() const { return by_rule() ? usual_lambda_of_rule : settings.lambda; }
    int iterations() const {
        return converges() ? expected_iterations(settings, expected_lambda()) : settings.iterations;
    }
    std::string assumed() const {
        if (!converges()) {
            return "";
        }
        const std::string lambda = text("lambda ", expected_lambda());
        return text(iterations(), " iterations until the solve has converged, with ",
                    by_rule()             ? lambda + ", where the scan chooses its own"
                    : settings.lambda > 0 ? lambda
                                          : "a regulariser alone");
    }
};

/// The scan has no coil maps if nobody asks for them and none can be estimated.
ReconstructOptions as_possible(ReconstructOptions options, const Scan& scan, const Grid& grid) {
    const bool is_requested = !is_default(options.prepare.maps) || !scan.calibrations.empty() ||
                              !scan.calibrations_unused.empty();
    if (!is_requested && scan.coil_maps.empty() && scan.coils() > 1 && !scan.voxels &&
        !can_estimate_maps(scan, grid)) {
        options.prepare.maps = NoSource();
    }
    return options;
}

/// The stage that chooses by held-out samples of a frame of this trajectory: 0 where nothing is to
/// be chosen.
double seconds_of_weights(const Prepared& of, const Trajectory& trajectory) {
    const std::vector<Candidate> candidates = candidates_of(of.options, of.facts);
    if (candidates.empty()) {
        return 0;
    }
    const SamplePoints points = trajectory.points();
    const PiecewiseTransform q(of.transforms, trajectory.positions,
                               Voxels::half_differences(of.grid));
    const PiecewiseTransform transform(of.transforms, points, of.formulation.voxels);
    const std::size_t frames = any_needs_all_frames(candidates)
                                   ? std::min(most_frames_of_weight, of.scan.frames.size())
                                   : 1;
    const bool alone = of.shape.problems > 1;
    const std::size_t coils =
        std::min(of.shape.coils, alone ? coils_alone_of_weight : usual_coils_of_weight);
    SystemShape few = of.shape.system;
    few.maps = std::min(few.maps, coils);
    double seconds =
        2 * q.predicted("q", 1).seconds + 2 * transform.predicted("fhd", coils).seconds;
    for (const Candidate& candidate : candidates) {
        SolveOptions settings = of.settings;
        settings.regularisers = candidate.regularisers;
        settings.iterations =
            candidate.by_lambda ? usual_iterations_of_lambda : usual_iterations_of_weight;
        seconds += static_cast<double>(alone ? coils : 1) *
                   seconds_of_least_squares(of.transforms, points, few, settings,
                                            of.formulation.through_q);
    }
    return static_cast<double>(frames) * seconds;
}

/// Adds the solve of a frame of this trajectory.
void add_solve(const Prepared& of, const Trajectory& trajectory, const TrajectoryPlan& plan,
               Stages& stages) {
    const SamplePoints points = trajectory.points();
    const auto frames = static_cast<double>(plan.frames);
    const auto problems = static_cast<double>(of.shape.problems);
    const bool through_q = plan.route == Route::q;
    if (through_q) {
        const auto terms = static_cast<double>(std::max<std::size_t>(1, of.shape.system.terms));
        const PiecewiseTransform q(of.transforms, trajectory.positions,
                                   Voxels::half_differences(of.grid));
        add_stage(stages, "q", terms * q.predicted("q", 1).seconds);
    }
    const auto solve = [&](int iterations) {
        SolveOptions settings = of.settings;
        settings.iterations = std::min(settings.iterations, iterations);
        return seconds_of_least_squares(of.transforms, points, of.shape.system, settings,
                                        through_q);
    };
    add_stage(stages, "solve", frames * problems * solve(of.iterations()));
    if (of.options.conjugate_symmetry) {
        SolveOptions settings;
        settings.iterations = iterations_of_symmetry;
        add_stage(stages, "symmetry",
                  frames * seconds_of_least_squares(of.transforms, points, of.shape.system,
                                                    settings, through_q));
    }
    constexpr double usual_gain = 2; // of the largest eigenvalue over the mean
    const double rounded =
        tolerance::image_error(plan.error, of.transforms.epsilon(),
                               of.settings.lambda > 0 ? usual_gain / of.settings.lambda : 0);
    if (of.settings.precondition && of.converges() && !of.by_rule() &&
        rounded > of.settings.image_tolerance) {
        add_stage(stages, "rounding", solve(iterations_of_rounding));
    }
}

/// Adds a rule's curve of lambda for one frame. If products are convolutions, it has the precision
/// of the transforms.
void add_choice_of_lambda(const Prepared& of, const Trajectory& trajectory, Stages& stages) {
    const bool through_q = of.formulation.through_q;
    const auto of_iterations = [&](int iterations) {
        SolveOptions settings = of.settings;
        settings.iterations = iterations;
        return seconds_of_least_squares(of.transforms, trajectory.points(), of.shape.system,
                                        settings, through_q);
    };
    const bool in_host_memory = of.transforms.device().in_host_memory();
    const double faster = through_q
                              ? slowdown_of(of.transforms.precision(), in_host_memory) /
                                    slowdown_of(of.transforms.solver_precision(), in_host_memory)
                              : 1;
    const auto problems = static_cast<double>(of.shape.problems);
    add_stage(stages, "lambda", faster * problems * of_iterations(usual_iterations_of_curve));
}

/// Any candidate may be the largest.
void add_memory_of_choice(const Prepared& of, Plan& plan) {
    const Device& device = of.transforms.device();
    for (const Candidate& candidate : candidates_of(of.options, of.facts)) {
        if (need_all_frames(candidate.regularisers)) {
            continue;
        }
        HostMemory memory(device.in_host_memory());
        add_choice(memory, of.transforms, of.shape, of.settings, candidate, of.scan);
        plan.host_bytes = std::max(plan.host_bytes, memory.bytes());
        if (!device.in_host_memory()) {
            plan.device_bytes =
                std::max(plan.device_bytes,
                         device_bytes_of_choice(of.transforms, of.shape, of.settings, candidate));
        }
    }
}

/// Adds what frames of one trajectory take.
void add_frames(const Prepared& of, const TrajectoryPlan& plan, Stages& stages) {
    const Trajectory& trajectory = *plan.trajectory;
    const SamplePoints points = trajectory.points();
    const Method& method = method_of(of.settings);
    const auto frames = static_cast<double>(plan.frames);
    const PiecewiseTransform transform(of.transforms, points, of.formulation.voxels);
    const double fhd = transform.predicted("fhd", of.shape.coils).seconds;
    add_stage(stages, method.fhd != nullptr ? method.name : "fhd", frames * fhd);
    if (!method.solves) {
        return;
    }
    if (of.options.certify > 0 || !of.transforms.engine_for(points, of.formulation.voxels).exact) {
        const std::size_t samples = trajectory.samples();
        const double sums = seconds_to_certify(of.machine(), of.shape.coils, samples) +
                            seconds_to_certify(of.machine(), 1, samples) / frames;
        const bool is_beside = !of.transforms.device().in_host_memory();
        add_stage(stages, "certify", frames * (is_beside ? std::max(0.0, sums - fhd) : sums));
    }
    add_solve(of, trajectory, plan, stages);
    add_stage(stages, "parts",
              of.formulation.coils_share_one_problem || of.shape.coils == 1
                  ? frames * transform.predicted("f", of.shape.coils).seconds
                  : 0);
}

} // namespace

double Plan::seconds() const {
    double sum = 0;
    for (const auto& [stage, seconds] : stages) {
        sum += seconds;
    }
    return sum;
}

double Plan::seconds_of(const std::string& stage) const {
    const auto found = std::find_if(stages.begin(), stages.end(),
                                    [&](const auto& one) { return one.first == stage; });
    return found == stages.end() ? 0 : found->second;
}

Plan plan_of(Transforms& transforms, const ReconstructOptions& request, const Scan& scan,
             const Grid& grid, const std::shared_ptr<const OffResonance>& field,
             double file_bytes) {
    const ReconstructOptions options = as_possible(request, scan, grid);
    const FormulationOptions planned{options.q != nullptr && options.q->is_given(),
                                     !options.solve.regularisers.empty(),
                                     transforms.segment_error() > 0};
    const SolveFacts facts = solve_facts(transforms, options, scan, grid, field != nullptr);
    const Prepared of{transforms,
                      options,
                      scan,
                      grid,
                      shape_of(transforms, options, scan, grid, field.get()),
                      facts,
                      settle(options, facts),
                      formulate(scan, grid, !scan.coil_maps.empty(), field, planned)};
    const MachineModel& machine = of.machine();
    const std::vector<Slice> slices = slices_of(scan);
    const auto count = static_cast<double>(slices.size());
    const auto frames = static_cast<double>(scan.frames.size());

    Stages stages;
    add_stage(stages, "start", machine.start);
    add_stage(stages, "read", machine.making + file_bytes * machine.byte);
    const ScanToPrepare to_prepare{transforms.on_processors(), options.prepare, scan, grid,
                                   of.shape.system.maps,       slices.size()};
    Cost prepared;
    for (const Step& step : steps()) {
        if (step.cost != nullptr) {
            const StepCost cost = step.cost(to_prepare);
            for (const auto& [name, seconds] : cost.stages) {
                add_stage(stages, name, seconds);
            }
            prepared = in_turn(prepared, cost.memory);
        }
    }
    Plan result;
    result.trajectories = plan_trajectories(transforms, of.settings, scan, of.formulation,
                                            of.shape.system.maps, planned.with_q);
    for (const TrajectoryPlan& plan : result.trajectories) {
        add_frames(of, plan, stages);
    }
    const Trajectory& first = *result.trajectories.front().trajectory;
    add_stage(stages, "weight", seconds_of_weights(of, first));
    if (of.has_lambda_curve()) {
        add_choice_of_lambda(of, first, stages);
    }
    const bool compares = method_of(of.settings).solves && !estimates_maps(to_prepare);
    add_stage(stages, "model",
              compares ? count * ModelCheck::seconds(transforms, grid, first.positions,
                                                     of.shape.system.maps, field != nullptr)
                       : 0);
    add_stage(stages, "write", frames * static_cast<double>(grid.voxels()) * machine.written);

    result.stages = std::move(stages);
    result.spread = machine.spread;
    const Device& device = transforms.device();
    HostMemory memory(device.in_host_memory());
    add_scan(memory, transforms, of.shape, of.settings, scan);
    HostMemory before(true); // which the processors prepare
    add_samples(before, device, of.shape, scan);
    before.add("coil maps", "as they are estimated", prepared);
    result.host_bytes = std::max(memory.bytes(), before.bytes());
    result.device_bytes =
        device.in_host_memory() ? 0 : device_bytes(transforms, of.shape, of.settings);
    add_memory_of_choice(of, result);
    result.iterations = method_of(of.settings).solves ? of.settings.iterations : 0;
    result.assumed = of.assumed();
    return result;
}

/// How products with N are computed in so many frames of a trajectory: through Q, which takes time
/// to make, or by F and F^H, two transforms a product. `frames` is 0 where the user brings Q.
Route route_of(Transforms& transforms, const SamplePoints& points, const Formulation& formulation,
               const SolveOptions& settings, std::size_t maps, double frames) {
    if (!formulation.through_q) {
        return Route::transforms;
    }
    const bool is_q_needed = frames == 0 || settings.precondition || formulation.off_resonance;
    if (is_q_needed || transforms.solver_precision() != Precision::float64 ||
        transforms.engine_for(points, formulation.voxels).exact) {
        return Route::q;
    }
    const double products =
        settings.iterations * frames * static_cast<double>(std::max<std::size_t>(1, maps));
    const double product = Toeplitz::seconds(transforms.device(), transforms.standard_machine(),
                                             formulation.grid, Precision::float64, 1);
    const Cost making = transforms.cost_by_model(transforms.precision(), "q", points,
                                                 Voxels::half_differences(formulation.grid));
    const Cost f = transforms.cost_by_model(Precision::float64, "f", points, formulation.voxels);
    const double by_q = making.seconds + (Toeplitz::products_of_making + products) * product;
    return by_q <= 2 * products * f.seconds ? Route::q : Route::transforms;
}

std::vector<TrajectoryPlan> plan_trajectories(Transforms& transforms, const SolveOptions& settings,
                                              const Scan& scan, const Formulation& formulation,
                                              std::size_t maps, bool with_q) {
    std::vector<TrajectoryPlan> plans;
    const std::vector<const Trajectory*> trajectories = trajectories_of(scan.frames);
    const double frames_of_each =
        static_cast<double>(scan.frames.size()) / static_cast<double>(trajectories.size());
    const Method& method = method_of(settings);
    for (const Trajectory* const trajectory : trajectories) {
        const SamplePoints points = trajectory->points();
        TrajectoryPlan plan{trajectory, 0};
        plan.error = transforms.predict("fhd", points, formulation.voxels).error;
        plan.engine =
            method.fhd == nullptr ? transforms.engine_for(points, formulation.voxels).name : "";
        plan.route = method.solves ? route_of(transforms, points, formulation, settings, maps,
                                              with_q ? 0 : frames_of_each)
                                   : Route::transforms;
        plans.push_back(std::move(plan));
    }
    for (const Frame& frame : scan.frames) {
        const auto plan = std::find_if(plans.begin(), plans.end(), [&](const TrajectoryPlan& of) {
            return of.trajectory == frame.trajectory.get();
        });
        ++plan->frames;
    }
    return plans;
}

} // namespace lsrecon
