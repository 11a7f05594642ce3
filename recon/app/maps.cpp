// maps: estimates coil maps from the centre of k-space, and writes them to a file.

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "io/maps_file.hpp"
#include "io/record.hpp"
#include "model/prepared_scan.hpp"
#include "reconstruct_file.hpp"
#include "scan/check.hpp"
#include "scan/slice.hpp"

namespace lsrecon::app {

namespace {

struct MapsFlags {
    std::string scan;
    std::string output;
    bool quiet = false;
    ReadOptions read;
    PrepareOptions prepare;
    ComputeOptions compute;
};

OptionTable options_of_maps(MapsFlags& options) {
    return joined({scan_options(options.scan, options.read),
                   geometry_options(options.prepare.geometry), readout_options(options.prepare),
                   maps_options(options.prepare, maps_methods().front().name),
                   device_options(options.compute),
                   in("Output", {output_option(options.output, "file to write",
                                               "The file holds `/coil_maps` [C, (Z,) Y, X]."),
                                 quiet_option(options.quiet)})});
}

ExitCode run_maps(MapsFlags& options) {
    if (is_none(options.prepare.maps)) {
        throw UsageError("--maps none makes no maps\n  next:     name a method");
    }
    options.prepare.estimate.sets = 1; // as a file has them
    options.prepare.whiten = false; // a file has maps of the scan's own coils
    check_files(inputs_of(options_of_maps(options)), {{"--output", options.output, FileKind::hdf5}},
                options.quiet);
    Console console(options.quiet);
    const auto transforms = open_transforms(options.compute, console);
    ReadOptions read = reading_for(options.prepare, options.read);
    read.for_maps = true;
    ScanFile source(options.scan, read, console);
    require_samples(source.scan());
    if (is_default(options.prepare.maps)) {
        options.prepare.maps = &maps_method_for(
            options.prepare.geometry.grid_of_image(source.scan().grid), options.prepare.estimate);
    }
    require_one_slice(source.scan(), "coil maps of the output",
                      "'lsrecon recon' makes those of each slice itself");
    read_values(options.prepare, source.scan());
    PreparedScan prepared(source, options.prepare, *transforms, console);
    const Scan& scan = prepared.scan();
    console.add(scan.findings);
    Record settings = settings_of(&options_of_maps, options);
    settings.emplace_back("maps", word_of(options.prepare.maps));
    settings.emplace_back("header_shift", options.prepare.geometry.header_shift());
    const SliceMaps own = *prepared.maps_of_all(); // of a file: they are written as they were
    const CoilRows maps =
        own.scale == 1 ? *own.values : CoilRows(CoilMatrix(own.scale * own.values->to_doubles()));
    write_maps(options.output, {scan.grid, maps},
               make_record(scan, transforms->computed_by(), settings));
    return ExitCode::done;
}

} // namespace

Bound bind_maps() {
    return bound(&options_of_maps, &run_maps);
}

} // namespace lsrecon::app
