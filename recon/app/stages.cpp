// fhd and q: compute F^H d or Q alone, and write it to a file for later use.

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "encoding/encoding.hpp"
#include "io/image/file.hpp"
#include "io/part_folder.hpp"
#include "io/q_file.hpp"
#include "io/record.hpp"
#include "io/scan_file.hpp"
#include "operators/q.hpp"
#include "scan/check.hpp"
#include "scan/failed_frames.hpp"
#include "scan/host_memory.hpp"
#include "scan/line_phases.hpp"
#include "scan/trajectories.hpp"

namespace lsrecon::app {

namespace {

Voxels voxels_of_q(const Scan& scan) {
    return scan.voxels ? scan.image_voxels() : Voxels::half_differences(scan.grid);
}

/// The least exact of the makings of the Q of each trajectory.
QMaking least_exact(Transforms& transforms, const std::vector<const Trajectory*>& trajectories,
                    const Voxels& voxels) {
    QMaking least = making_of_q(transforms, *trajectories.front(), voxels);
    for (const Trajectory* const trajectory : trajectories) {
        const QMaking making = making_of_q(transforms, *trajectory, voxels);
        if (making.accuracy > least.accuracy) {
            least = making;
        }
    }
    return least;
}

std::size_t volumes_of_fhd(const Scan& scan) {
    return scan.coil_maps.empty() ? scan.coils() : 1;
}

/// InputError when the host has no room for what is made of a scan: a transform, and then a volume
/// on its way to the file.
void require_room(const Scan& scan, Transforms& transforms, bool for_q) {
    const std::size_t coils = for_q ? 1 : scan.coils();
    const std::size_t volumes = for_q ? 1 : volumes_of_fhd(scan);
    const std::size_t voxels = (for_q ? voxels_of_q(scan) : scan.image_voxels()).count();
    const auto bytes = static_cast<double>(2 * bytes_of(transforms.precision()) * voxels);
    HostMemory memory(transforms.device().in_host_memory());
    memory.add(for_q ? "Q" : "F^H d",
               text(counted(volumes, "volume"), " of ", counted(voxels, "voxel")),
               Cost::on_host(static_cast<double>(volumes) * bytes));
    memory.add("the transform",
               text(scan.most_samples(), " samples of each of ", counted(coils, "coil")),
               cost_of_fhd(transforms, coils, scan.most_samples(), voxels) +
                   Cost::on_host(static_cast<double>(2 * sizeof(Complex) * voxels)));
    memory.add_reserved(reserved_addresses());
    memory.require(scan.file);
}

struct StagesFlags {
    std::string scan;
    std::string output;
    bool resume = false;
    bool quiet = false;
    ReadOptions read;
    ComputeOptions compute;
};

/// Reads the scan for fhd or q; unreadable frames are tolerated, so that the others are still
/// computed.
ScanFile read_scan_of(const StagesFlags& options, Transforms& transforms, bool for_q,
                      Reporter& report) {
    ReadOptions read = options.read;
    read.bad_frames = true;
    const Stage stage(report, "read");
    LoadedScan loaded = load_scan(open_scan(options.scan, read), read);
    require_room(loaded.stored.scan, transforms, for_q);
    ScanFile source(std::move(loaded), read);
    source.report_scan_facts(report);
    for (const Finding& finding : source.scan().findings) {
        if (is_about_line_phases(finding)) { // nothing corrects them here
            report.add(finding);
        }
    }
    return source;
}

OptionTable with_output(StagesFlags& options, OptionTable output) {
    return joined({scan_options(options.scan, options.read), device_options(options.compute),
                   in("Output", std::move(output))});
}

OptionTable options_of_fhd(StagesFlags& options) {
    return with_output(
        options,
        {output_option(
             options.output, "file to write",
             "The file holds `/fhd` [F,] [C,] (Z,) Y, X, in the precision of the transforms."),
         {"resume", toggle(options.resume), "continue an unfinished output", Is::about_output,
          More{"The frames in `OUTPUT.part` are not computed again."}},
         quiet_option(options.quiet)});
}

OptionTable options_of_q(StagesFlags& options) {
    return with_output(options,
                       {output_option(options.output, "file to write",
                                      "The file holds `/q` (2Z,) 2Y, 2X and its content hash."),
                        quiet_option(options.quiet)});
}

ExitCode run_fhd(StagesFlags& options) {
    check_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}},
                options.quiet);
    if (!options.resume) {
        PartFolder::require_none(options.output);
    }
    Console console(options.quiet);
    const auto transforms = open_transforms(options.compute, console);
    ScanFile source = read_scan_of(options, *transforms, false, console);
    const Scan& scan = source.scan();
    require_samples(scan);
    source.report_bad(console);
    const Formulation formulation =
        formulate(scan, {false, false, transforms->segment_error() > 0});
    const std::size_t volumes = volumes_of_fhd(scan);
    const std::size_t voxels = formulation.voxels.count();
    Image about = empty_image(scan);
    about.record =
        make_record(scan, transforms->computed_by(), settings_of(&options_of_fhd, options));
    FrameStore store(options.output, scan, identity_of(about.record), options.resume, console, "",
                     volumes, transforms->precision());
    Attempts attempts(scan, console);
    const auto fhd_of_frame = [&](std::size_t f) {
        const Frame frame = source.frame(f);
        store.put(f, [&](FileValues& to) {
            lsrecon::fhd_of_frame(
                *transforms, formulation.voxels, frame, scan.coil_maps,
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
        for (const std::size_t f : by_trajectory(scan.frames)) {
            progress.next(label_beside_index(scan.frames[f].label, f));
            if (!store.has(f)) {
                attempts.of(f, [&] { fhd_of_frame(f); });
            }
        }
        attempts.require_some();
    } catch (const Error&) {
        if (const auto kept = store.kept()) {
            console.add(*kept);
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

ExitCode run_q(StagesFlags& options) {
    check_files({{"SCAN", options.scan}}, {{"--output", options.output, FileKind::hdf5}},
                options.quiet);
    Console console(options.quiet);
    const auto transforms = open_transforms(options.compute, console);
    // Samples do not change Q; what has no trajectory is noted.
    const ScanFile source = read_scan_of(options, *transforms, true, console);
    const Scan& scan = source.scan();
    const Record record =
        make_record(scan, transforms->computed_by(), settings_of(&options_of_q, options));
    const Voxels voxels = voxels_of_q(scan);
    const std::vector<const Trajectory*> trajectories = trajectories_of(scan.frames);
    const QMaking making = least_exact(*transforms, trajectories, voxels);
    if (scan.voxels) {
        write_q_at(options.output,
                   compute_q_at(*transforms, *scan.frames.front().trajectory, voxels, console)
                       .values.row(0)
                       .transpose(),
                   making, record);
        return ExitCode::done;
    }
    std::vector<std::string> keys;
    for (const Trajectory* const trajectory : trajectories) {
        keys.push_back(q_key(*trajectory, scan.grid));
    }
    const auto q_of = [&](std::size_t s) {
        return stored(compute_q_in_stage(*transforms, *trajectories[s], scan.grid, console));
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
