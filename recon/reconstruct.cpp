// One scan, from file to file: read it top to bottom.

#include "reconstruct.hpp"

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "io/image_file.hpp"
#include "io/png_file.hpp"
#include "io/preview.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "io/truth.hpp"
#include "plan/plan.hpp"
#include "scan/check.hpp"
#include "solve/normal_equations.hpp"
#include "solve/solve.hpp"
#include "stages/fhd.hpp"
#include "stages/mu.hpp"
#include "stages/q.hpp"

namespace lsrecon {

namespace {

template <typename File> std::optional<File> opened(const std::string& path) {
    return path.empty() ? std::nullopt : std::optional<File>(std::in_place, path);
}

/// What the record says in numbers.
std::vector<std::pair<std::string, double>> numbers_of(const Reconstructed& result,
                                                       const Scan& scan) {
    std::vector<std::pair<std::string, double>> numbers = result.solves.numbers();
    if (scan.coil_maps.size() > 0) {
        const SumOfSquares squares = sum_of_squares(scan.coil_maps);
        numbers.emplace_back("coil_maps_squares_largest", squares.largest);
        numbers.emplace_back("coil_maps_squares_mean", squares.mean);
    }
    if (result.truth_error) {
        numbers.emplace_back("truth_error", *result.truth_error);
    }
    return numbers;
}

} // namespace

Reconstructed reconstruct(const std::string& scan_file, const std::string& image_file,
                          Backend& backend, const ReconstructOptions& options, Reporter& report) {
    std::optional<QFile> q_file = opened<QFile>(options.q_file);
    const std::optional<Truth> truth = opened<Truth>(options.truth);
    const Scan scan = read_scan(scan_file, options.read, report); // checks it, too
    require_samples(scan);
    const Plan plan = make_plan(scan, q_file.has_value());
    Image image = empty_image(scan);
    if (q_file) {
        q_file->require(scan);
    }
    if (truth) {
        truth->require_size_of(scan);
    }
    if (!options.preview.empty()) {
        tell_preview(scan, report);
    }
    Reconstructed result{SolveSummary(options.solve), {}};

    const auto make_q = [&](const Sampling& sampling) {
        return q_file ? q_file->read(sampling, scan.grid)
                      : compute_q(backend, sampling, scan.grid, report);
    };
    FrameEquations equations({backend, plan, scan.coil_maps, options.solve.lambda, make_q});
    {
        FrameProgress frames(report, scan.frames.size());
        for (const Frame& frame : scan.frames) {
            frames.next();
            const CoilMatrix mu = compute_mu(backend, frame, report);
            const CoilMatrix fhd = compute_fhd(backend, plan, frame, mu, scan.coil_maps, report);
            NormalEquations& of_frame = equations.of(frame);
            const Solved solved = solve(of_frame, fhd, options.solve, report);
            result.solves.add(
                fhd, solved, of_frame.q_at_zero(),
                tolerance::normal_equations(backend.error_bound(), backend.info().epsilon));
            image.frames.push_back(to_image(frame, solved));
        }
    }

    image.record = make_record(scan, backend.info(), options.settings);
    image.record.emplace_back("solver", solvers_of(image));
    if (truth) {
        result.truth_error = truth->error_of(image);
    }
    image.numbers = numbers_of(result, scan);
    image.stage_seconds = report.stage_seconds();
    write_image(image_file, image);
    if (!options.preview.empty()) {
        write_png(options.preview, image);
    }
    return result;
}

} // namespace lsrecon
