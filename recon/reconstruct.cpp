// One scan, from file to file: read it top to bottom.

#include "reconstruct.hpp"

#include "io/image_file.hpp"
#include "io/png_file.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "plan/plan.hpp"
#include "scan/check.hpp"
#include "solve/solve.hpp"
#include "stages/fhd.hpp"
#include "stages/mu.hpp"
#include "stages/normal_equations.hpp"
#include "stages/q.hpp"

namespace lsrecon {

void reconstruct(const std::string& scan_file, const std::string& image_file, Backend& backend,
                 const ReconstructOptions& options, Reporter& report) {
    const Scan scan = read_scan(scan_file, options.read, report); // checks it, too
    require_samples(scan);
    const Plan plan = make_plan(scan, !options.q_file.empty());
    Image image = empty_image(scan);

    const auto make_q = [&](const Sampling& sampling) {
        return options.q_file.empty() ? compute_q(backend, sampling, scan.grid, report)
                                      : read_q(options.q_file, sampling, scan.grid);
    };
    FrameEquations equations({backend, plan, scan.coil_maps, options.solve.lambda, make_q});
    for (const Frame& frame : scan.frames) {
        const CoilMatrix mu = compute_mu(backend, frame, report);
        const CoilMatrix fhd = compute_fhd(backend, plan, frame, mu, scan.coil_maps, report);
        const Solved solved = solve(equations.of(frame), fhd, options.solve, report);
        image.frames.push_back(to_image(frame, solved));
    }

    image.record = make_record(scan, backend.info(), options.settings);
    image.record.emplace_back("solver", solvers_of(image));
    image.stage_seconds = report.stage_seconds();
    write_image(image_file, image);
    if (!options.preview.empty()) {
        write_png(options.preview, image);
    }
}

} // namespace lsrecon
