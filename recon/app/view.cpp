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
                         "image file, or another file with images or coil maps"}}),
         in("Output", {output_option(options.output, "page to write (HTML), for any browser"),
                       {"megabytes", in_unit("MB", number(options.megabytes, positive())),
                        "largest size of the page", "", "Larger images are thinned out."},
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
