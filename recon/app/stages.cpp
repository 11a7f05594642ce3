// fhd and q: one stage, written for reuse.

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "engines/pieces.hpp"
#include "io/frame_source.hpp"
#include "io/image_file.hpp"
#include "io/image_sink.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "operators/q.hpp"
#include "plan/plan.hpp"
#include "scan/check.hpp"
#include "scan/host_memory.hpp"
#include "scan/sampling_pool.hpp"
#include "solve/fhd.hpp"

namespace lsrecon::app {

namespace {

/// Of a frame: what is written, and where the device's memory is the host's what a transform has
/// there at a time, then a volume on its way to the file. Refused before it is computed.
void require_room(const Scan& scan, Backend& backend, std::size_t volumes, std::size_t voxels) {
    const Device& device = backend.device();
    std::size_t samples = 0;
    for (const Frame& frame : scan.frames) {
        samples = std::max(samples, frame.sampling->samples());
    }
    const PieceSizes at_a_time = fit_pieces({scan.coils(), samples, voxels, 1}, device.memory(),
                                            device.largest_array(), backend.precision());
    const double each = static_cast<double>(2 * bytes_of(backend.precision()));
    HostMemory memory;
    memory.add("F^H d", text(counted(volumes, "volume"), " of ", counted(voxels, "voxel")),
               static_cast<double>(volumes * voxels) * each, "use a machine with more memory");
    memory.add("the transform", text("of ", counted(at_a_time.coils, "coil"), " at a time"),
               (device.in_host_memory() ? bytes_of_pieces(at_a_time, backend.precision()) : 0) +
                   2 * sizeof(Complex) * static_cast<double>(voxels));
    memory.add_reserved(reserved_addresses());
    memory.require(scan.file);
}

struct Options {
    std::string scan;
    std::string output;
    bool resume = false;
    bool quiet = false;
    ReadOptions read;
    BackendOptions backend;
};

ExitCode run_fhd(const Options& options) {
    require_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}});
    if (!options.resume) {
        PartFile::require_none(options.output);
    }
    Console console(options.quiet);
    const auto backend = open_backend(options.backend, console);
    ReadOptions read = options.read;
    read.bad_frames = true;
    read.use = HostMemory::Use::adjoint;
    FrameSource source(options.scan, read, console);
    const Scan& scan = source.scan();
    require_samples(scan);
    source.report_bad(console);
    const Plan plan = make_plan(scan, {false, false, backend->segment_error() > 0});
    const std::size_t volumes = scan.coil_maps.empty() ? scan.coils() : 1;
    const std::size_t voxels = plan.voxels.count();
    require_room(scan, *backend, volumes, voxels);
    Image about = empty_image(scan);
    about.record =
        make_record(scan, backend->info(), record_of_flags(options.read, options.backend));
    ImageSink sink(options.output, scan, identity_of(about.record), options.resume, volumes,
                   backend->precision());
    const auto fhd_of_frame = [&](std::size_t f, FileValues& to) {
        const Frame frame = source.frame(f);
        lsrecon::fhd_of_frame(
            *backend, plan.voxels, frame, scan.coil_maps,
            [&](std::size_t volume, const Range& at, const ComplexVector& values) {
                to.put(volume * voxels + at.first, values);
            },
            console);
        ImageFrame result;
        result.label = frame.label;
        result.position = frame.position;
        return result;
    };
    sink.fill(by_sampling(scan.frames), fhd_of_frame, console);
    about.frames = sink.frames();
    about.stage_seconds = console.stage_seconds();
    write_fhd(options.output, about, volumes, voxels, backend->precision(), sink.stored());
    sink.finish();
    require_all_frames(sink.failed(), scan.frames.size(), options.output);
    return ExitCode::done;
}

ExitCode run_q(const Options& options) {
    require_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}});
    Console console(options.quiet);
    const auto backend = open_backend(options.backend, console);
    ReadOptions read = options.read;
    read.bad_frames = true; // samples do not change Q
    const FrameSource source(options.scan, read, console);
    const Scan& scan = source.scan();
    const Record record =
        make_record(scan, backend->info(), record_of_flags(options.read, options.backend));
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
    const auto options =
        bind(sub, "file to write: /fhd [F,] [C,] (Z,) Y, X, in the precision of the transforms");
    sub.add_flag("--resume", options->resume,
                 "continue an unfinished output: the frames in OUTPUT.part are not computed again");
    return [options] { return run_fhd(*options); };
}

std::function<ExitCode()> bind_q(CLI::App& sub) {
    const auto options = bind(sub, "file to write: /q (2Z,) 2Y, 2X and its content hash");
    return [options] { return run_q(*options); };
}

} // namespace lsrecon::app
