// One scan, from file to file: read it top to bottom.

#include "reconstruct.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "io/frame_source.hpp"
#include "io/image_file.hpp"
#include "io/image_sink.hpp"
#include "io/iteration_log.hpp"
#include "io/png_file.hpp"
#include "io/preview.hpp"
#include "io/record.hpp"
#include "io/truth.hpp"
#include "plan/plan.hpp"
#include "prepare/prior.hpp"
#include "reconstruct_equations.hpp"
#include "reconstruct_joint.hpp"
#include "reconstruct_lambda.hpp"
#include "reconstruct_noise.hpp"
#include "reconstruct_q.hpp"
#include "reconstruct_room.hpp"
#include "scan/check.hpp"
#include "solve/cg.hpp"
#include "solve/joint_room.hpp"
#include "solve/solve.hpp"

namespace lsrecon {

namespace {

/// What the record says in numbers.
std::vector<std::pair<std::string, double>> numbers_of(const Reconstructed& result,
                                                       const Scan& scan, bool one_place) {
    std::vector<std::pair<std::string, double>> numbers = result.solves.numbers();
    if (!scan.coil_maps.empty() && one_place) {
        const SumOfSquares squares = sum_of_squares(scan.coil_maps);
        numbers.emplace_back("coil_maps_squares_largest", squares.largest);
        numbers.emplace_back("coil_maps_squares_mean", squares.mean);
    }
    if (result.truth_error) {
        numbers.emplace_back("truth_error", *result.truth_error);
    }
    if (!result.failed.empty()) {
        numbers.emplace_back("frames_failed", static_cast<double>(result.failed.size()));
    }
    if (result.frames_resumed > 0) {
        numbers.emplace_back("frames_resumed", static_cast<double>(result.frames_resumed));
    }
    return numbers;
}

/// The first frame that did not fail.
std::size_t first_made(const std::vector<ImageFrame>& frames) {
    const auto made = std::find_if(frames.begin(), frames.end(),
                                   [](const ImageFrame& frame) { return !frame.failed(); });
    return static_cast<std::size_t>(made - frames.begin());
}

} // namespace

Reconstructed reconstruct(const std::string& scan_file, const std::string& image_file,
                          Backend& backend, const ReconstructOptions& options, Reporter& report) {
    if (!options.resume) {
        PartFile::require_none(image_file);
    }
    if (need_splitting(options.solve.regularisers) && options.effort.tolerance) {
        require_tolerance(*options.effort.tolerance, backend.precision());
    }
    QSource q(options.q_file, options.q_folder, backend, report);
    std::optional<Truth> truth;
    if (!options.truth.empty()) {
        truth.emplace(options.truth);
    }
    ReadOptions read = options.read;
    PrepareOptions prepare = options.prepare;
    prepare.geometry.regularised = !options.solve.regularisers.empty();
    prepare.tell(read);
    read.bad_frames = true;
    read.use = HostMemory::Use::solve_elsewhere; // ReconstructRoom asks for the solver's memory
    const bool joint = need_all_frames(options.solve.regularisers);
    const ReconstructRoom memory(scan_file, backend, options);
    read.before_values = [&](const ScanShape& shape) { memory.require(shape); };
    read.before_samples = [&](const Scan& scan) {
        memory.require(scan);
        if (!options.preview.empty() && scan.voxels) {
            places_on_grid(scan.file, scan.grid, *scan.voxels);
        }
        backend.open_ahead();
    };
    FrameSource source(scan_file, read, report); // checks it, too
    require_samples(source.scan());
    source.report_bad(report);
    prepare.maps_of_places = true;
    PreparedScan prepared(source, prepare, backend, report);
    const Scan& scan = prepared.scan();
    const MapPreviews map_previews = previews_of_maps( // before the scan has those of other places
        scan, prepared.maps_differ() ? std::optional(prepared.first_good()) : std::nullopt);
    const Plan plan = make_plan(
        scan, {q.is_file(), !options.solve.regularisers.empty(), backend.segment_error() > 0});
    const RuleChoice rule = where_cheap(options.lambda_rule, plan.products());
    const bool by_rule = !rule.word.empty();
    const auto with_lambda = [&](double lambda) {
        SolveOptions asked = solving_by(rule, options.solve);
        asked.lambda = lambda;
        return with_effort(asked, options.effort, plan.products(),
                           unit_roundoff(backend.solver_precision()));
    };
    SolveOptions solving = with_lambda(by_rule ? smallest_lambda : options.solve.lambda);
    q.require(scan);
    std::optional<ScanPrior> prior;
    if (!options.prior.empty()) {
        prior.emplace(options.prior, scan, prepare.geometry.shifts());
        if (!prior->differ()) {
            require_prior(options.solve.regularisers, prior->image(), scan.grid);
        }
    }
    if (truth) {
        truth->require_size_of(scan);
    }
    if (!options.preview.empty()) {
        note_preview(scan, report);
    }
    ScanEquations equations(prepared, {backend, plan, q, prior ? &*prior : nullptr}, solving,
                            report);
    std::optional<LambdaCurve> curve;
    if (by_rule) {
        curve = equations.choose_lambda(rule);
        solving = with_lambda(curve->at_chosen().lambda);
        equations.set_lambda(solving.lambda);
    }

    Record settings = options.settings;
    settings.emplace_back("lambda", text(solving.lambda));
    settings.emplace_back("regularisers", in_words(solving.regularisers));
    settings.emplace_back("iterations", text(solving.iterations));
    settings.emplace_back("tolerance", text(solving.tolerance));
    settings.emplace_back("preconditioner", preconditioner_of(solving));
    q.add_to(settings);
    if (prior) {
        settings.emplace_back("prior_sha256", prior->sha256());
    }
    JointRoom room;
    if (joint) {
        room = require_joint_room(backend, scan, scan.grid, scan.coils(),
                                  plan.coils_share_one_problem, solving);
        report.tell(room.words);
    }
    std::optional<Identity> identity; // of frames that a later run may find finished
    if (!joint && scan.frames.size() > 1) {
        identity = identity_of(make_record(scan, backend.info(), settings));
    }
    ImageSink sink(image_file, scan, std::move(identity), options.resume);
    if (sink.resumed() > 0) {
        report.tell(
            text(sink.resumed(), " of ", scan.frames.size(), " frames were finished before"));
    }

    std::optional<IterationLog> log;
    if (!options.log.empty()) {
        log.emplace(options.log, options.resume);
    }
    const auto monitor_of = [&](std::size_t f) -> Monitor {
        if (!log) {
            return nullptr;
        }
        return [&, f](const Iteration& i) { log->add(f, i.problem, i.done, i.residual); };
    };
    const auto finished = [&](const Frame& frame, const Solved& solved, double error) {
        ImageFrame image = to_image(frame, solved);
        estimate_rounding(image, solved.gains, solving.lambda, error, backend.info().epsilon);
        return image;
    };
    // Of one frame for all: the first that is solved in this run, or that of the curve.
    double amplified = curve ? curve->at_chosen().amplification : 0;
    // The samples determine most of many images: then lambda is not all that holds errors.
    const auto refine = [&](ImageFrame& image, std::size_t f) {
        const double lambda = solving.lambda;
        if (image.image_error <= solving.image_tolerance ||
            plan.products() != Products::one_convolution) {
            return;
        }
        if (amplified == 0) {
            amplified = amplification(equations.of(f), lambda, solving, report);
        }
        image.image_error *= std::min(1.0, lambda * amplified);
    };
    const double noise_of_a_sample = energy_of_noise(scan.noise);
    std::vector<Volume> of_single_frame; // which cannot be read again
    const auto solved_frame = [&](std::size_t f) {
        auto [frame, fhd, energy] = equations.transformed(f);
        SolveOptions how = solving;
        how.monitor = monitor_of(f);
        const Solved solved = solve(equations.of(f), fhd, how, report);
        if (options.noise_replicas > 0 && scan.frames.size() == 1) {
            of_single_frame = std::move(fhd);
        }
        ImageFrame image = finished(frame, solved, equations.of(f).error());
        refine(image, f);
        give_back_memory();
        compare_with_samples(image, solved.explained, energy,
                             noise_of_a_sample * frame.sampling->sum_of_weights());
        return image;
    };
    if (joint) {
        fill_jointly(sink, prepared, {equations, monitor_of, finished}, solving, room.on_device,
                     report);
    } else {
        sink.fill(prepared.order(equations.places_differ()), solved_frame, report);
    }

    Image image = empty_image(scan);
    image.frames = sink.frames(); // their values are in the sink
    Reconstructed result{SolveSummary(solving, backend.info().epsilon),
                         {},
                         scan.frames.size(),
                         sink.resumed(),
                         sink.failed()};
    for (const ImageFrame& frame : image.frames) {
        result.solves.add(frame);
    }
    if (truth) {
        result.truth_error = truth->error_of(image.frames, sink.values());
    }
    image.record = make_record(scan, backend.info(), settings);
    image.record.emplace_back("solver", solvers_of(image));
    image.numbers = numbers_of(result, scan, !prepared.maps_differ());
    for (const auto& number : equations.model().numbers()) {
        image.numbers.push_back(number);
    }
    image.map_previews = map_previews;
    if (curve) {
        add_lambda_curve(image, *curve);
    }
    if (options.noise_replicas > 0) {
        const std::size_t f = first_made(image.frames);
        const std::vector<Volume> fhd =
            scan.frames.size() == 1 ? std::move(of_single_frame) : equations.transformed(f).fhd;
        add_noise_map(image, f, equations.of(f), fhd, scan, solving, options.noise_replicas,
                      report);
    }
    equations.note_unlike_prior();
    if (const std::string advice = equations.model().advice(); !advice.empty()) {
        report.note(advice);
    }
    result.solves.note(report);
    add_notes(image.record, scan, report.notes());
    image.stage_seconds = report.stage_seconds();
    write_image(image_file, image, sink.voxels(), sink.values());
    if (!options.preview.empty()) {
        write_png(options.preview, image, on_grid(scan.file, image, sink.values()));
    }
    sink.finish();
    return result;
}

} // namespace lsrecon
