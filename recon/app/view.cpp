#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/named_files.hpp"
#include "io/image/formats.hpp"
#include "io/image/png.hpp"
#include "io/page/page.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string file;
    std::string output;
    double megabytes = 10;
    bool quiet = false;
};

OptionTable options_of(Options& options) {
    return joined(
        {in("Reading", {{"FILE", required(name(options.file)),
                         "file with an image, coil maps or a noise map"}}),
         in("Output", {output_option(options.output, "HTML page to write, for any browser"),
                       {"megabytes", in_unit("MB", number(options.megabytes, positive())),
                        "largest size of the page", "",
                        "Of larger images the page shows only some voxels and frames."},
                       quiet_option(options.quiet)})});
}

ExitCode run(Options& options) {
    require_png();
    std::vector<NamedInput> inputs;
    for (const std::string& file : format_of_input(options.file).files(options.file)) {
        inputs.push_back({"FILE", file});
    }
    require_files(inputs, {{"--output", options.output, FileKind::html}});
    Console console(options.quiet);
    PageContent content = content_for_page(options.file);
    for (std::string& note : content.notes) {
        note = with_flags(note);
    }
    for (auto& [name, words] : content.sets.front().volumes.about.record) {
        words = with_flags(words);
    }
    write_text(options.output, make_page(content, options.megabytes, console));
    return ExitCode::done;
}

} // namespace

Bound bind_view() {
    return bound(&options_of, &run);
}

} // namespace lsrecon::app
