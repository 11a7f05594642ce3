// One scan, from file to file: read it top to bottom.

#include "reconstruct.hpp"

#include "base/error.hpp"
#include "io/frame_source.hpp"
#include "io/image_file.hpp"
#include "io/image_sink.hpp"
#include "io/png_file.hpp"
#include "io/preview.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "io/truth.hpp"
#include "operators/q.hpp"
#include "plan/plan.hpp"
#include "prepare/prior.hpp"
#include "scan/check.hpp"
#include "scan/sampling_pool.hpp"
#include "solve/normal_equations.hpp"
#include "solve/solve.hpp"

namespace lsrecon {

namespace {

template <typename File> std::optional<File> opened(const std::string& path) {
    return path.empty() ? std::nullopt : std::optional<File>(std::in_place, path);
}

/// What the record says in numbers.
std::vector<std::pair<std::string, double>> numbers_of(const Reconstructed& result,
                                                       const Scan& scan) {
    std::vector<std::pair<std::string, double>> numbers = result.solves.numbers();
    if (!scan.coil_maps.empty()) {
        const SumOfSquares squares = sum_of_squares(scan.coil_maps);
        numbers.emplace_back("coil_maps_squares_largest", squares.largest);
        numbers.emplace_back("coil_maps_squares_mean", squares.mean);
    }
    if (result.truth_error) {
        numbers.emplace_back("truth_error", *result.truth_error);
    }
    if (result.frames_resumed > 0) {
        numbers.emplace_back("frames_resumed", static_cast<double>(result.frames_resumed));
    }
    return numbers;
}

} // namespace

Reconstructed reconstruct(const std::string& scan_file, const std::string& image_file,
                          Backend& backend, const ReconstructOptions& options, Reporter& report) {
    if (!options.resume) {
        PartFile::require_none(image_file);
    }
    std::optional<QFile> q_file = opened<QFile>(options.q_file);
    const std::optional<Truth> truth = opened<Truth>(options.truth);
    ReadOptions read = options.read;
    if (options.solve.on_device) {
        read.before_values = [&](const Grid& grid, std::size_t coil_maps) {
            note_room_of_solver(backend, grid, coil_maps, options.solve.regularisers);
        };
    }
    FrameSource source(scan_file, read, report); // checks it, too
    require_samples(source.scan());
    PreparedScan prepared(source, options.prepare, backend, report);
    const Scan& scan = prepared.scan();
    const Plan plan = make_plan(scan, q_file.has_value(), !options.solve.regularisers.empty());
    if (q_file) {
        q_file->require(scan);
    }
    std::optional<PriorImage> prior;
    if (!options.prior.empty()) {
        prior = prior_on_grid(options.prior, scan);
        require_prior(options.solve.regularisers, *prior, scan.grid);
    }
    if (truth) {
        truth->require_size_of(scan);
    }
    if (!options.preview.empty()) {
        note_preview(scan, report);
    }
    Record settings = options.settings;
    if (q_file) {
        settings.emplace_back("q_sha256", q_file->sha256());
    }
    if (prior) {
        settings.emplace_back("prior_sha256", prior->sha256);
    }
    ImageSink sink(image_file, scan, identity_of(make_record(scan, backend.info(), settings)),
                   options.resume);
    if (sink.resumed() > 0) {
        report.tell(
            text(sink.resumed(), " of ", scan.frames.size(), " frames were finished before"));
    }

    const auto make_q = [&](const Sampling& sampling) {
        return q_file ? q_file->read(sampling, scan.grid)
                      : compute_q(backend, sampling, scan.grid, report);
    };
    FrameEquations equations({backend, plan, scan.coil_maps, options.solve.lambda, make_q,
                              options.solve.regularisers, prior ? &*prior : nullptr});
    const auto solve_frames = [&] {
        FrameProgress frames(report, scan.frames.size());
        for (const std::size_t f : by_sampling(scan.frames)) {
            frames.next();
            if (sink.has(f)) {
                continue;
            }
            Frame frame = prepared.frame(f);
            NormalEquations& of_frame = equations.of(frame.sampling);
            const std::vector<Volume> fhd = of_frame.fhd(std::move(frame.samples), report);
            const Solved solved = solve(of_frame, fhd, options.solve, report);
            ImageFrame finished = to_image(frame, solved);
            estimate_rounding(finished, solved.gains, options.solve.lambda, of_frame.error(),
                              backend.info().epsilon);
            sink.add(f, std::move(finished));
        }
    };
    sink.fill(solve_frames, report);

    Image image = empty_image(scan);
    image.frames = sink.frames(); // their values are in the sink
    Reconstructed result{SolveSummary(options.solve), {}, sink.resumed()};
    for (const ImageFrame& frame : image.frames) {
        result.solves.add(frame);
    }
    if (truth) {
        result.truth_error = truth->error_of(image.frames.size(), sink.values());
    }
    image.record = make_record(scan, backend.info(), settings);
    image.record.emplace_back("solver", solvers_of(image));
    image.numbers = numbers_of(result, scan);
    image.stage_seconds = report.stage_seconds();
    write_image(image_file, image, sink.voxels(), sink.values());
    if (!options.preview.empty()) {
        write_png(options.preview, image, sink.voxels(), sink.values());
    }
    sink.remove_part();
    return result;
}

} // namespace lsrecon
