#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "app/validators.hpp"
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

ExitCode run(const Options& options) {
    require_png();
    std::vector<NamedInput> inputs;
    for (const std::string& file : format_of_input(options.file).files(options.file)) {
        inputs.push_back({"FILE", file});
    }
    require_files(inputs, {{"--output", options.output, FileKind::html}});
    Console console(options.quiet);
    const PageContent content = content_for_page(options.file);
    write_text(options.output, make_page(content, options.megabytes, console));
    return ExitCode::done;
}

} // namespace

std::function<ExitCode()> bind_view(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    sub.add_option("FILE", options->file, "image file, or another file with images or coil maps")
        ->required()
        ->check(file_name());
    add_output_flag(sub, options->output, "page to write (HTML), for any browser");
    sub.add_option("--megabytes", options->megabytes,
                   "size of the page at most; larger images are thinned out")
        ->check(positive_number())
        ->capture_default_str();
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
