// fhd and q: one stage, written for reuse.

#include "app/command.hpp"
#include "app/console.hpp"
#include "base/named_files.hpp"
#include "io/frame_source.hpp"
#include "io/image_file.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "operators/q.hpp"
#include "plan/plan.hpp"
#include "scan/check.hpp"
#include "solve/fhd.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string scan;
    std::string output;
    bool quiet = false;
    ReadOptions read;
    BackendOptions backend;
};

ExitCode run_fhd(const Options& options) {
    require_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}});
    Console console(options.quiet);
    const auto backend = open_backend(options.backend, console);
    FrameSource source(options.scan, options.read, console);
    const Scan& scan = source.scan();
    require_samples(scan);
    const Plan plan = make_plan(scan, {false, false, backend->segment_error() > 0});
    std::vector<CoilMatrix> frames;
    FrameProgress progress(console, scan.frames.size());
    for (std::size_t f = 0; f < scan.frames.size(); ++f) {
        progress.next();
        const Frame frame = source.frame(f);
        frames.push_back(fhd_on_host(*backend, plan.voxels, frame, scan.coil_maps, console).values);
    }
    Image about = empty_image(scan);
    about.record = make_record(scan, backend->info(), {{"command", command_line()}});
    about.stage_seconds = console.stage_seconds();
    write_fhd(options.output, about, frames);
    return ExitCode::done;
}

ExitCode run_q(const Options& options) {
    require_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}});
    Console console(options.quiet);
    const auto backend = open_backend(options.backend, console);
    const FrameSource source(options.scan, options.read, console);
    const Scan& scan = source.scan();
    const Record record = make_record(scan, backend->info(), {{"command", command_line()}});
    if (scan.voxels) {
        write_q_at(
            options.output,
            compute_q_at(*backend, *scan.frames.front().sampling, scan.image_voxels(), console)
                .values.row(0)
                .transpose(),
            record);
        return ExitCode::done;
    }
    std::vector<Q> qs;
    std::vector<const Sampling*> done;
    for (const Frame& frame : scan.frames) {
        if (std::find(done.begin(), done.end(), frame.sampling.get()) == done.end()) {
            done.push_back(frame.sampling.get());
            qs.push_back(compute_q(*backend, *frame.sampling, scan.grid, console));
            qs.back().key = q_key(*frame.sampling, scan.grid);
        }
    }
    write_q(options.output, qs, record);
    return ExitCode::done;
}

std::shared_ptr<Options> bind(CLI::App& sub, const std::string& output) {
    auto options = std::make_shared<Options>();
    add_scan_flags(sub, options->scan, options->read);
    add_output_flag(sub, options->output, output);
    add_backend_flags(sub, options->backend);
    add_quiet_flag(sub, options->quiet);
    return options;
}

} // namespace

std::function<ExitCode()> bind_fhd(CLI::App& sub) {
    const auto options = bind(sub, "file to write: /fhd [F,] [C,] (Z,) Y, X");
    return [options] { return run_fhd(*options); };
}

std::function<ExitCode()> bind_q(CLI::App& sub) {
    const auto options = bind(sub, "file to write: /q (2Z,) 2Y, 2X and its content hash");
    return [options] { return run_q(*options); };
}

} // namespace lsrecon::app
