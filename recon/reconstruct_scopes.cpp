// Builds the objects that live for one slice or trajectory, and transforms, solves and certifies a
// frame with them.

#include "reconstruct_scopes.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/linear_algebra.hpp"
#include "base/machine.hpp"
#include "encoding/lambda_curve.hpp"
#include "encoding/sample_energy.hpp"
#include "model/conjugate_symmetry.hpp"
#include "scan/coil_transform.hpp"
#include "scan/readouts.hpp"
#include "solve/residuals.hpp"

namespace lsrecon {

namespace {

Model model_of(const Run& run, Transforms& transforms, const Slice& slice) {
    Model model = run.prepared.model_of(slice, transforms);
    if (model.prior) {
        require_prior(run.request.solve.regularisers, *model.prior, run.scan().grid);
    }
    return model;
}

Density weights_of(const Run& run, const Trajectory& trajectory, const Formulation& formulation) {
    if (run.method().solves) {
        return {trajectory.weights, ""};
    }
    const Stage stage(run.report, "density");
    Density weights =
        weights_of(run.method(), trajectory, run.scan(), formulation, run.request.solve);
    run.report.add(weights.findings);
    return weights;
}

std::optional<NormalOperator> normal_operator_of(const Run& run, const Encoding& encoding,
                                                 Route route) {
    if (!run.method().solves) {
        return std::nullopt;
    }
    const Formulation& formulation = encoding.formulation();
    Transforms& transforms = encoding.transforms();
    std::optional<Stage> stage; // whoever makes one Q opens the stage of Q
    if (formulation.products() == Products::convolutions) {
        stage.emplace(run.report, "q");
    }
    const auto make_q = [&](const Trajectory& trajectory) {
        return run.qs.of(transforms, trajectory, run.scan().grid);
    };
    return std::optional<NormalOperator>(
        std::in_place, encoding, make_q,
        NormalOperator::Options{route, run.solve_before_choice.precondition}, Listener(run.report));
}

bool may_be_certified(const Run& run, const Transforms& transforms) {
    return run.method().solves && (run.request.certify > 0 || may_be_inexact(transforms.options()));
}

std::optional<Certifier> certifier_of(const TrajectoryScope& at) {
    const Run& run = at.run;
    if (!at.n || (run.request.certify == 0 && at.encoding.is_exact())) {
        return std::nullopt;
    }
    return std::optional<Certifier>(std::in_place, at.encoding, *at.n, at.slice.drawn);
}

double most_noise_of(const Run& run, const Frame& frame) {
    const bool is_compared = run.scan().noise.empty() && run.method().solves;
    if (!is_compared) {
        return 0;
    }
    const double along = energy_of_noise_along_readouts(frame.samples);
    const double most = most_energy_of_noise(*frame.trajectory, frame.samples);
    return (along > 0 ? std::min(along, most) : most) * frame.trajectory->sum_of_weights();
}

/// Finds the symmetry of the frame that its slice is now solved with.
void find_symmetry(TrajectoryScope& at, FrameData& data) {
    const Run& run = at.run;
    if (!run.request.conjugate_symmetry) {
        return;
    }
    const Stage stage(run.report, "symmetry");
    const double measured = energy_of_noise(run.scan().noise);
    const double weights = data.frame.trajectory->sum_of_weights();
    FoundSymmetry found =
        find_symmetry(at.encoding, data.frame, measured > 0 ? measured : data.most_noise / weights,
                      run.scan().file, run.report);
    data.symmetry = found.about;
    at.slice.symmetry = std::move(found.symmetry);
}

void compare_models(const Run& run, TrajectoryScope& at, const FrameData& data) {
    SliceScope& slice = at.slice;
    if (slice.is_compared || !run.method().solves || !run.request.is_checked) {
        return;
    }
    slice.is_compared = true;
    const std::size_t first = *run.prepared.first_good_of(slice.slice); // this one, if no other
    const auto compare = [&](const Frame& by) {
        run.model_check.compare(at.encoding.transforms(), run.scan(), slice.slice.index,
                                slice.model, by, run.report);
    };
    if (first == data.index) {
        compare(data.frame);
        return;
    }
    with_readable_frame([&] { run.prepared.look_at(first, compare); });
}

/// Takes the image out of `solved`.
ImageFrame image_of(const Transforms& transforms, const Frame& frame, Solved& solved, double error,
                    const Certificate& certificate, const SolveOptions& settings,
                    std::size_t unknowns) {
    ImageFrame image = to_image(frame, solved);
    estimate_rounding(image, solved.gains, settings.lambda, error, transforms.epsilon());
    estimate_by_certificate(image, solved, certificate, settings.lambda, unknowns);
    return image;
}

/// Coil maps of the model were divided by a number, and so is the image now, which is one of all
/// sets.
ImageFrame in_units_of_maps(ImageFrame image, const SliceScope& slice) {
    const Model& model = slice.model;
    image.values =
        one_image(std::move(image.values), *model.coil_maps, slice.formulation.voxels.count());
    image.maps_scale = model.maps_scale;
    if (image.maps_scale != 1) {
        divide(image.values, image.maps_scale);
    }
    return image;
}

/// Solves once more with an error of F^H d as large as its bound, and records how much the image
/// changes: neither iterations nor lambda bound that here.
void measure_error(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                   const Solved& solved, ImageFrame& image) {
    const double gain = *std::min_element(solved.gains.begin(), solved.gains.end());
    const ErrorEstimate error = error_of_equations(image.certificate, gain);
    if (at.run.request.certify == 0 || image.certificate.image.upper > 0 || error.upper == 0) {
        return;
    }
    const Stage stage(at.run.report, "certify");
    const Solved other =
        solve(at.problem(settings), with_errors(data.fhd.volumes, error.upper), settings);
    const double moved = relative_change(image.values, other.image);
    image.certificate.image = {moved * error.estimate / error.upper, moved};
    image.image_error = image.certificate.image.estimate;
}

/// The samples determine most of many images: then lambda is not all that holds errors.
void refine(TrajectoryScope& at, const SolveOptions& settings, ImageFrame& image) {
    const double certify = at.run.request.certify;
    const bool by_iterations = image.certificate.voxels > 0 && !settings.precondition;
    const double accepted_error = certify > 0 ? certify : settings.image_tolerance;
    if (std::max(image.image_error, image.certificate.image.upper) <= accepted_error ||
        by_iterations || at.slice.formulation.products() != Products::one_convolution) {
        return;
    }
    const double less = std::min(1.0, settings.lambda * at.amplification(settings));
    ErrorEstimate& sampled = image.certificate.image;
    sampled.upper *= less;
    sampled.estimate = std::min(sampled.estimate, sampled.upper);
    image.image_error = sampled.upper > 0 ? sampled.estimate : less * image.image_error;
}

/// Compares an image with its samples. Where it leaves more than noise, one without regularisation
/// shows what the model leaves.
void explain_samples(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                     const Solved& solved, ImageFrame& image) {
    const Run& run = at.run;
    const double noise =
        energy_of_noise(run.scan().noise) * data.frame.trajectory->sum_of_weights();
    compare_with_samples(image, solved.explained, data.energy, noise, data.most_noise);
    if (run.method().solves && leaves_more_than_noise(image)) {
        const Stage stage(run.report, "model");
        const double explained = explained_without_regularisation(
            at.problem(settings).system(), data.fhd.volumes, settings.lambda, image.values,
            least_explained_by_right_model(image) * data.energy);
        image.left_by_model = explained > 0 ? 1 - explained / data.energy : 0;
    }
}

/// What the image leaves of parts of the samples: by the NUFFT where these are few, which on
/// processors takes a tenth of the time of an exact transform.
Encoding::Parts parts_left(const TrajectoryScope& at, const FrameData& data,
                           const std::vector<ComplexVector>& images) {
    const auto left_by = [&](const Encoding& encoding) {
        return encoding.parts_left(data.frame.samples, images, at.readout_ends);
    };
    Transforms& transforms = at.encoding.transforms();
    if (at.encoding.is_exact() && transforms.device().in_host_memory() &&
        may_be_inexact(transforms.options())) {
        Transforms& quick = transforms.for_estimates();
        ImageSpace space(quick.device(), at.slice.formulation, at.slice.images.coil_maps);
        const Encoding encoding(quick, space, at.encoding.trajectory());
        if (!encoding.is_exact()) {
            return left_by(encoding);
        }
    }
    return left_by(at.encoding);
}

/// Notes what the image leaves of each readout and coil, where memory still has the samples.
void explain_parts(TrajectoryScope& at, const FrameData& data, const Solved& solved,
                   ImageFrame& image) {
    const bool is_one_problem = solved.stops.size() == 1; // none where nothing was solved
    if (!is_one_problem || data.frame.samples.empty() || !at.run.request.is_checked) {
        return;
    }
    const Stage stage(at.run.report, "parts");
    std::vector<ComplexVector> images(1);
    images[0].swap(image.values); // a copy of a large one takes longer than its transform
    Encoding::Parts parts = parts_left(at, data, images);
    images[0].swap(image.values);
    image.readouts = std::move(parts.readouts);
    image.coils = std::move(parts.coils);
}

/// The number of voxels over which errors of F^H d are spread.
std::size_t unknowns_of(const TrajectoryScope& at) {
    return at.certifier ? at.certifier->unknowns() : at.encoding.unknowns();
}

double error_of(const TrajectoryScope& at, const FrameData& data) {
    return std::max(data.fhd.error, at.n ? at.n->error() : 0);
}

} // namespace

void require_use_of_symmetry(const ReconstructOptions& options, const Formulation& formulation,
                             const Scan& scan) {
    if (!options.conjugate_symmetry) {
        return;
    }
    if (scan.voxels) {
        throw UsageError("`conjugate_symmetry`: the scan has /voxels, and a phase is smooth on a "
                         "grid\n  next:     leave it out");
    }
    if (!formulation.coils_share_one_problem && scan.coils() > 1) {
        throw UsageError("`conjugate_symmetry`: without coil maps each coil has a phase of its "
                         "own\n  next:     pass `maps` espirit, or leave it out");
    }
}

void with_readable_frame(const std::function<void()>& read_and_use) {
    try {
        read_and_use();
    } catch (const RunError&) { // which is an InputError, of the run and not of the frame
        throw;
    } catch (const InputError&) {
    }
}

Compute::Compute(const Run& run, const Formulation& formulation, std::shared_ptr<Transforms> by)
    : transforms(std::move(by)),
      trajectories(plan_trajectories(*transforms, run.solve_before_choice, run.scan(), formulation,
                                     run.shape.system.maps, run.qs.are_given())) {}

Route Compute::route_of(const Trajectory& trajectory) const {
    return std::find_if(trajectories.begin(), trajectories.end(),
                        [&](const TrajectoryPlan& plan) { return plan.trajectory == &trajectory; })
        ->route;
}

SliceScope::SliceScope(const Run& run, Transforms& transforms, const Slice& of)
    : slice(of), model(model_of(run, transforms, of)),
      formulation(formulate(run.scan(), run.scan().grid, !model.coil_maps->empty(),
                            model.off_resonance, run.formulation_options)),
      images(transforms.device(), formulation, *model.coil_maps),
      drawn(may_be_certified(run, transforms)
                ? draw_voxels(*model.coil_maps, formulation.voxels.count())
                : DrawnVoxels()) {}

TrajectoryScope::TrajectoryScope(const Run& of, SliceScope& in, const Compute& compute,
                                 const Trajectory& trajectory)
    : run(of), slice(in), weights(weights_of(of, trajectory, in.formulation)),
      encoding(*compute.transforms, in.images, trajectory, weights.cells),
      n(normal_operator_of(of, encoding, compute.route_of(trajectory))),
      certifier(certifier_of(*this)), readout_ends(readouts_of(trajectory).ends) {}

RightHandSides TrajectoryScope::adjoint(const CoilRows& samples) const {
    const Method& method = run.method();
    if (method.fhd != nullptr) {
        return {method.fhd(encoding.transforms(), encoding.trajectory(), weights.cells,
                           slice.formulation.grid, samples, slice.images.maps, run.report)};
    }
    return encoding.adjoint(samples, run.report);
}

const LeastSquares& TrajectoryScope::problem(const SolveOptions& settings) {
    if (!problem_ || problem_->symmetry() != slice.symmetry) {
        problem_.reset();
        problem_.emplace(*n, settings, slice.known());
    }
    return *problem_;
}

std::shared_ptr<System> TrajectoryScope::kept_system(const SolveOptions& settings) {
    if (!kept_system_) {
        kept_system_ = make_kept_system(*n, settings, slice.known(), slice.shared);
    }
    return kept_system_;
}

Solved TrajectoryScope::solve(const std::vector<Volume>& fhd, const SolveOptions& settings) {
    if (!run.method().solves) {
        return combined(run.method(), weights, *slice.model.coil_maps, fhd);
    }
    return lsrecon::solve(problem(settings), fhd, settings, run.report);
}

double TrajectoryScope::amplification(const SolveOptions& settings) {
    if (!amplification_) {
        amplification_ = lsrecon::amplification(*n, settings, run.report);
    }
    return *amplification_;
}

void transform(const TrajectoryScope& at, FrameData& data) {
    const CoilRows& samples = data.frame.samples;
    std::future<CoilMatrix> exact;
    if (at.certifier) {
        exact = at.certifier->exact(samples);
    }
    {
        const Method& method = at.run.method();
        const bool by_method = method.fhd != nullptr;
        const Stage stage(at.run.report, by_method ? method.name : "fhd",
                          by_method ? 0 : at.encoding.cost(samples.rows()).seconds);
        data.fhd = at.adjoint(samples);
    }
    data.certificate = {};
    if (at.certifier) {
        const Stage stage(at.run.report, "certify");
        data.certificate = at.certifier->of(exact.get(), data.fhd.volumes);
    }
}

FrameData begin_frame(const Run& run, TrajectoryScope& at, std::size_t f) {
    FrameData data{f, run.prepared.frame(f)};
    data.energy = energy_of(*data.frame.trajectory, data.frame.samples);
    data.most_noise = most_noise_of(run, data.frame);
    transform(at, data);
    find_symmetry(at, data);
    compare_models(run, at, data);
    return data;
}

ImageFrame solve_frame(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                       const Monitor& monitor) {
    constexpr int many = 20; // iterations, to which another one adds little
    const Run& run = at.run;
    SolveOptions of_frame = settings;
    of_frame.monitor = monitor;
    of_frame.looks_ahead =
        !settings.precondition &&
        (run.request.certify > 0 || (settings.iterations >= many && at.certifier));
    Solved solved = [&] {
        std::optional<Stage> stage;
        if (run.method().solves) {
            stage.emplace(run.report, "solve");
        }
        return at.solve(data.fhd.volumes, of_frame);
    }();
    ImageFrame image = image_of(at.encoding.transforms(), data.frame, solved, error_of(at, data),
                                data.certificate, settings, unknowns_of(at));
    image.symmetry = data.symmetry;
    refine(at, settings, image);
    if (!solved.gains.empty()) { // of a solve
        measure_error(at, data, settings, solved, image);
    }
    explain_samples(at, data, settings, solved, image);
    explain_parts(at, data, solved, image);
    give_back_memory();
    if (run.request.snr_units) {
        return in_units_of_noise(std::move(image), at, noise_of(at, data, settings));
    }
    return in_units_of_maps(std::move(image), at.slice);
}

ImageFrame errors_by_gain(TrajectoryScope& at, const FrameData& data, const SolveOptions& settings,
                          double gain, bool refined) {
    Solved like;
    like.gains = {gain};
    ImageFrame errors;
    estimate_rounding(errors, like.gains, settings.lambda, error_of(at, data),
                      at.encoding.transforms().epsilon());
    estimate_by_certificate(errors, like, data.certificate, settings.lambda, unknowns_of(at));
    if (refined) {
        refine(at, settings, errors);
    }
    return errors;
}

void keep_for_others(TrajectoryScope& at, FrameData data, const SolveOptions& settings,
                     const MemoryBudget& budget, Monitor monitor) {
    at.slice.shared.needed = budget.on_device;
    std::vector<JointFrame>& together = at.slice.together;
    try {
        const double error = error_of(at, data);
        together.push_back({data.index, std::move(data.frame), at.kept_system(settings),
                            std::move(data.fhd.volumes), error, data.certificate,
                            std::move(monitor)});
    } catch (const DeviceError& error) {
        throw RunError(
            {at.run.scan().file, "frames that are solved together",
             text("no room on the device after ", together.size(), " of them: ", error.what()),
             "room for all of them",
             "choose some with `frames`, or leave " + flags_over_frames(settings.regularisers) +
                 " out"});
    }
}

void solve_together(const Run& run, const Transforms& transforms, SliceScope& slice,
                    const SolveOptions& settings,
                    const std::function<void(std::size_t f, ImageFrame image)>& put) {
    std::vector<JointFrame>& frames = slice.together;
    if (frames.empty()) {
        return;
    }
    std::sort(frames.begin(), frames.end(), // in time, not by their trajectories, as they began
              [](const JointFrame& a, const JointFrame& b) { return a.index < b.index; });
    std::vector<Solved> solved =
        solve_jointly(frames, *slice.model.coil_maps, settings, run.report);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const JointFrame& frame = frames[i];
        const auto unknowns = static_cast<std::size_t>(solved[i].image.size());
        put(frame.index, in_units_of_maps(image_of(transforms, frame.about, solved[i], frame.error,
                                                   frame.certificate, settings, unknowns),
                                          slice));
        solved[i] = {};
    }
}

} // namespace lsrecon
