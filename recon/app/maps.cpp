#include "app/command.hpp"
#include "app/console.hpp"
#include "base/named_files.hpp"
#include "io/maps_file.hpp"
#include "io/record.hpp"
#include "prepare/prepared_scan.hpp"
#include "reconstruct_file.hpp"
#include "scan/check.hpp"
#include "scan/place.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string scan;
    std::string output;
    bool quiet = false;
    ReadOptions read;
    PrepareOptions prepare;
    BackendOptions backend;
};

ExitCode run(Options& options) {
    if (options.prepare.maps.empty()) {
        options.prepare.maps = maps_methods().front().name;
    }
    if (options.prepare.maps == "none") {
        throw UsageError("--maps none makes no maps\n  next:     name a method");
    }
    options.prepare.whiten = false; // a file has maps of the scan's own coils
    require_files({{"SCAN", options.scan},
                   {"--maps", options.prepare.maps_of_file() ? options.prepare.maps : ""}},
                  {{"--output", options.output, FileKind::hdf5}});
    Console console(options.quiet);
    const auto backend = open_backend(options.backend, console);
    tell(options.prepare, options.read);
    options.read.for_maps = true;
    ScanFile source(options.scan, options.read, console);
    require_samples(source.scan());
    require_one_place(source.scan(), "coil maps of the output",
                      "'lsrecon recon' makes those of each place itself");
    read_values(options.prepare, source.scan());
    PreparedScan prepared(source, options.prepare, *backend, console);
    const Scan& scan = prepared.scan();
    write_maps(options.output, {scan.grid, *prepared.at(0).coil_maps},
               make_record(scan, backend->info(),
                           {{"command", command_line()},
                            {"maps", options.prepare.maps},
                            {"header_shift", options.prepare.geometry.header_shift()}}));
    return ExitCode::done;
}

} // namespace

std::function<ExitCode()> bind_maps(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    add_scan_flags(sub, options->scan, options->read);
    add_output_flag(sub, options->output, "file to write: /coil_maps [C, (Z,) Y, X]");
    add_geometry_flags(sub, options->prepare.geometry);
    add_maps_flags(sub, options->prepare,
                   "or a file with /coil_maps, which are resampled [espirit]");
    add_backend_flags(sub, options->backend);
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
