// fhd and q: one stage, written for reuse.

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "engines/pieces.hpp"
#include "io/frame_store.hpp"
#include "io/image/file.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "io/scan_file.hpp"
#include "operators/q.hpp"
#include "plan/plan.hpp"
#include "scan/attempts.hpp"
#include "scan/check.hpp"
#include "scan/host_memory.hpp"
#include "scan/sampling_pool.hpp"
#include "solve/fhd.hpp"

namespace lsrecon::app {

namespace {

/// Adds what a transform has at a time where the device's memory is the host's, then a volume on
/// its way to the file, and requires that there is room for all before it is computed.
void require_room(HostMemory& memory, const Scan& scan, Transforms& transforms, std::size_t coils,
                  std::size_t voxels) {
    const Device& device = transforms.device();
    const PieceSizes at_a_time =
        fit_pieces({coils, scan.most_samples(), voxels, 1}, device.memory(), device.largest_array(),
                   transforms.precision());
    memory.add("the transform", text("of ", counted(at_a_time.coils, "coil"), " at a time"),
               (device.in_host_memory() ? bytes_of_pieces(at_a_time, transforms.precision()) : 0) +
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
    ComputeOptions compute;
};

OptionTable with_output(Options& options, OptionTable output) {
    return joined({scan_options(options.scan, options.read), device_options(options.compute),
                   in("Output", std::move(output))});
}

OptionTable options_of_fhd(Options& options) {
    return with_output(
        options,
        {output_option(
             options.output, "file to write",
             "The file holds `/fhd` [F,] [C,] (Z,) Y, X, in the precision of the transforms."),
         {"resume", toggle(options.resume), "continue an unfinished output", "",
          "The frames in `OUTPUT.part` are not computed again."},
         quiet_option(options.quiet)});
}

OptionTable options_of_q(Options& options) {
    return with_output(options,
                       {output_option(options.output, "file to write",
                                      "The file holds `/q` (2Z,) 2Y, 2X and its content hash."),
                        quiet_option(options.quiet)});
}

ExitCode run_fhd(Options& options) {
    require_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}});
    if (!options.resume) {
        PartFolder::require_none(options.output);
    }
    Console console(options.quiet);
    const auto transforms = open_transforms(options.compute, console);
    ReadOptions read = options.read;
    read.bad_frames = true;
    read.use = HostMemory::Use::adjoint;
    ScanFile source(options.scan, read, console);
    const Scan& scan = source.scan();
    require_samples(scan);
    source.report_bad(console);
    const Plan plan = make_plan(scan, {false, false, transforms->segment_error() > 0});
    const std::size_t volumes = scan.coil_maps.empty() ? scan.coils() : 1;
    const std::size_t voxels = plan.voxels.count();
    HostMemory memory;
    memory.add("F^H d", text(counted(volumes, "volume"), " of ", counted(voxels, "voxel")),
               static_cast<double>(volumes * voxels * 2 * bytes_of(transforms->precision())));
    require_room(memory, scan, *transforms, scan.coils(), voxels);
    Image about = empty_image(scan);
    about.record =
        make_record(scan, transforms->computed_by(), settings_of(options_of_fhd(options)));
    FrameStore store(options.output, scan, identity_of(about.record), options.resume, volumes,
                     transforms->precision());
    Attempts attempts(scan, console);
    const auto fhd_of_frame = [&](std::size_t f) {
        const Frame frame = source.frame(f);
        store.put(f, [&](FileValues& to) {
            lsrecon::fhd_of_frame(
                *transforms, plan.voxels, frame, scan.coil_maps,
                [&](std::size_t volume, const Range& at, const ComplexVector& values) {
                    to.put(volume * voxels + at.first, values);
                },
                console);
            ImageFrame result;
            result.label = frame.label;
            result.position = frame.position;
            return result;
        });
    };
    try {
        FrameProgress progress(console, scan.frames.size());
        for (const std::size_t f : by_sampling(scan.frames)) {
            progress.next(label_beside_index(scan.frames[f].label, f));
            if (!store.has(f)) {
                attempts.of(f, [&] { fhd_of_frame(f); });
            }
        }
        attempts.require_some();
    } catch (const Error&) {
        if (!store.kept().empty()) {
            console.note(store.kept());
        }
        throw;
    }
    store.require_some();
    about.frames = store.frames(attempts.failed());
    about.stage_seconds = console.stage_seconds();
    write_fhd(options.output, about, volumes, voxels, transforms->precision(), store.stored());
    store.finish(attempts.failed().empty());
    require_all_frames(attempts.failed(), scan.frames.size(), options.output);
    return ExitCode::done;
}

ExitCode run_q(Options& options) {
    require_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}});
    Console console(options.quiet);
    const auto transforms = open_transforms(options.compute, console);
    ReadOptions read = options.read;
    read.bad_frames = true; // samples do not change Q; what has no trajectory is noted
    read.use = HostMemory::Use::adjoint;
    const ScanFile source(options.scan, read, console);
    const Scan& scan = source.scan();
    const Record record =
        make_record(scan, transforms->computed_by(), settings_of(options_of_q(options)));
    const Voxels voxels = scan.voxels ? scan.image_voxels() : Voxels::half_differences(scan.grid);
    HostMemory memory;
    memory.add("Q", counted(voxels.count(), "value"),
               static_cast<double>(voxels.count() * 2 * bytes_of(transforms->precision())));
    require_room(memory, scan, *transforms, 1, voxels.count());
    const QMaking making = making_of_q(*transforms, *scan.frames.front().sampling, scan.grid);
    if (scan.voxels) {
        write_q_at(options.output,
                   compute_q_at(*transforms, *scan.frames.front().sampling, voxels, console)
                       .values.row(0)
                       .transpose(),
                   making, record);
        return ExitCode::done;
    }
    const std::vector<const Sampling*> samplings = samplings_of(scan.frames);
    std::vector<std::string> keys;
    for (const Sampling* const sampling : samplings) {
        keys.push_back(q_key(*sampling, scan.grid));
    }
    const auto q_of = [&](std::size_t s) {
        return compute_q(*transforms, *samplings[s], scan.grid, console);
    };
    write_q(options.output, scan.grid, keys, q_of, making, record);
    return ExitCode::done;
}

} // namespace

Bound bind_fhd() {
    return bound(&options_of_fhd, &run_fhd);
}

Bound bind_q() {
    return bound(&options_of_q, &run_q);
}

} // namespace lsrecon::app
