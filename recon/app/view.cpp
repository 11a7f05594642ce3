// view: writes a page for the browser that shows an image or a scan.

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "io/image/formats.hpp"
#include "io/maps_file.hpp"
#include "io/page/page.hpp"
#include "io/scan_options.hpp"

namespace lsrecon::app {

namespace {

struct ViewFlags {
    std::string file;
    ReadOptions read;
    std::string maps;
    std::string output;
    double megabytes = 30;
    bool quiet = false;
};

OptionTable options_of_view(ViewFlags& options) {
    return joined(
        {in("Reading",
            {{"FILE", name(options.file), "file with a scan, an image, coil maps or a noise map",
              Is::required, More{"The other options of reading are for scans."}},
             {"maps", name(options.maps), "coil maps to show, and to lay over the image",
              Default{"none"}}}),
         without({"SCAN"}, option::scan_options(options.file, options.read)),
         in("Output", {output_option(options.output, "HTML page to write, for any browser"),
                       {"megabytes", number(options.megabytes, positive()),
                        "largest size of the values in the page", Unit{"MB"},
                        More{"Larger ones are shown in fewer bits, then phases in fewer voxels, "
                             "then all in fewer voxels and frames."}},
                       quiet_option(options.quiet)})});
}

ExitCode run_view(ViewFlags& options) {
    require_input(options.file, "FILE");
    const bool of_scan = is_scan(options.file);
    std::vector<NamedInput> inputs{{"FILE", options.file}, {"--maps", options.maps}};
    if (!of_scan) { // an image may have two files
        for (const std::string& file : format_of_input(options.file).files(options.file)) {
            inputs.push_back({"FILE", file});
        }
    }
    check_files(inputs, {{"--output", options.output, FileKind::html}}, options.quiet);
    Console console(options.quiet);
    PageContent content = of_scan ? page_of_scan(options.file, options.read, console)
                                  : page_of_image(options.file, console);
    if (!options.maps.empty()) {
        add_maps(content, options.maps);
    }
    for (std::string& note : content.notes) {
        note = with_flags(note);
    }
    for (auto& [title, rows] : content.tables) {
        for (auto& [name, words] : rows) {
            words = with_flags(words);
        }
    }
    write_text(options.output, make_page(content, options.megabytes, console));
    return ExitCode::done;
}

} // namespace

bool is_scan(const std::string& path) {
    if (byte_format_of(InputFile(path)) != nullptr) {
        return true;
    }
    const ImageFormat* const format = other_format_of(path);
    if (format != nullptr && format->kind != FileKind::hdf5) {
        return false;
    }
    const Hdf5Reader file(path);
    return !file.has("image") && !holds_maps_alone(file) && !name_of_scan_format(file).empty();
}

Bound bind_view() {
    return bound(&options_of_view, &run_view);
}

} // namespace lsrecon::app
