// import: makes a native scan of arrays that other programs wrote, or of a sequence.

#include "io/import.hpp"
#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/numbers.hpp"
#include "io/arrays.hpp"
#include "io/native/scan.hpp"
#include "io/pulseq.hpp"
#include "scan/units.hpp"

namespace lsrecon::app {

namespace {

struct ImportFlags {
    ImportOptions import;
    std::string output;
    bool quiet = false;
};

std::vector<NamedInput> named_inputs(const ImportOptions& options) {
    std::vector<NamedInput> inputs;
    for (const std::string& file : files_of(options)) {
        inputs.push_back({"FILES", file});
    }
    return inputs;
}

ExitCode run_import(ImportFlags& options) {
    check_files(named_inputs(options.import), {{"--output", options.output, FileKind::hdf5}},
                options.quiet);
    Console console(options.quiet);
    const std::vector<std::string>& inputs = options.import.inputs;
    const Scan scan = inputs.size() == 1 && recognises_sequence(inputs.front())
                          ? import_sequence(options.import)
                          : import_arrays(options.import);
    for (const std::string& fact : scan.facts) {
        console.info(fact);
    }
    console.add(scan.findings);
    write_native_scan(options.output, scan);
    const std::size_t samples = scan.frames.front().trajectory->samples();
    console.info(text(options.output, ": matrix ", by(scan.grid.size, scan.grid.dimensions), ", ",
                      counted(scan.frames.size(), "frame"), ", ", counted(scan.coils(), "coil"),
                      ", ", samples, " samples each"));
    return ExitCode::done;
}

OptionTable options_of_import(ImportFlags& options) {
    ImportOptions& import = options.import;
    return joined(
        {in("Reading",
            {{"FILES", file_names(import.inputs), "arrays, recognised by their names", Is::required,
              Is::repeated,
              More{"Formats: " + array_formats_in_words() +
                   ". Or say what an array is: `samples=FILE` or `samples=FILE:NAME`, and so for " +
                   comma_separated(array_roles()) +
                   ". A sequence of Pulseq gives its trajectory. `trajectory=RULE` takes a rule of "
                   "`--trajectory` for the readouts that `axes` name."}},
             {"matrix", grid_size(import.matrix), "voxels of the image",
              Default{"as coil maps, a field map or a sequence have"}},
             {"fov_mm", number(import.fov_mm, positive(), "LENGTHS"),
              "field of view: a length, or one a dimension", Unit{"mm"}, Default{"1 mm a voxel"},
              More{"A sequence of Pulseq says its own."}},
             {"convention", choice(import.convention, names_of(array_conventions())),
              "habits of the trajectory's program", Default{"bart for its pair, else lsrecon"},
              More{"Conventions:" + listed(array_conventions())}},
             {"axes", choices(import.axes, sample_axes(), "NAMES"), "axes of the samples",
              Default{"by their sizes"},
              More{"One word an axis, out of " + comma_separated(sample_axes()) +
                   ", in the order of the program that wrote the array: `coil,readout,sample`."}},
             {"traj_units", choice(import.trajectory_units, trajectory_unit_names()),
              "unit of the trajectory", Default{"by the file, the convention or the range"}},
             {"low_resolution", toggle(import.low_resolution),
              "accept a trajectory with all |k| below N/4", Is::expert}}),
         in("Output",
            {output_option(options.output, "native scan to write"), quiet_option(options.quiet)})});
}

} // namespace

Bound bind_import() {
    return bound(&options_of_import, &run_import);
}

} // namespace lsrecon::app
