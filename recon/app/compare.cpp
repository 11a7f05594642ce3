// compare: says how far an image is from another, and shows where.

#include <cmath>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "base/numbers.hpp"
#include "io/image/compared.hpp"
#include "io/image/formats.hpp"
#include "io/page/page.hpp"

namespace lsrecon::app {

namespace {

struct CompareFlags {
    std::string image;
    std::string reference;
    std::string output;
    double megabytes = 30;
    bool magnitudes = false;
    bool json = false;
    bool quiet = false;
};

OptionTable options_of_compare(CompareFlags& options) {
    return joined(
        {in("Reading",
            {{"IMAGE", name(options.image), "image, in any format that convert reads",
              Is::required},
             {"REFERENCE", name(options.reference), "image that it is compared with", Is::required},
             {"magnitudes", toggle(options.magnitudes), "compare magnitudes, not complex values",
              More{"So does an image of magnitudes with one of complex values."}}}),
         in("Output",
            {{"output", name(options.output), "HTML page with both images and their difference",
              Is::about_output, Default{"none"}},
             {"megabytes", number(options.megabytes, positive()),
              "largest size of the values in the page", Unit{"MB"}},
             {"json", toggle(options.json), "print as JSON, by name"},
             quiet_option(options.quiet)})});
}

StoredImage opened(const std::string& path, Reporter& report) {
    const StoredImage image = in_volumes(format_of_input(path).open(path, {}));
    require_sound_values(image);
    report.add(image.findings);
    return image;
}

nlohmann::json as_json(const ComparedImages& found) {
    nlohmann::json json = json_of_kind("comparison");
    json["warnings"] = nlohmann::json::array();
    json["of_magnitudes"] = found.of_magnitudes;
    json["error"] = found.error;
    json["scale"] = std::abs(found.scale);
    json["phase"] = std::arg(found.scale);
    json["scaled_error"] = found.scaled_error;
    json["scaled_errors"] = found.scaled_errors; // null for NaN
    json["largest_difference"] = found.largest;
    json["largest_in_frame"] = found.frame;
    json["largest_at_voxel"] = found.voxel;
    return json;
}

std::string scale_in_words(const Complex& scale) {
    const double phase = std::arg(scale);
    return rounded(std::abs(scale)) +
           (std::abs(phase) > 1e-3 ? text(" and turned by ", rounded(phase), " rad") : "");
}

void print(const ComparedImages& found, const StoredImage& reference) {
    const auto percent = [](double share) { return rounded(100 * share) + " %"; };
    print_line("values      %s", found.of_magnitudes ? "magnitudes" : "with their phases or signs");
    print_line("error       %s of the reference", percent(found.error).c_str());
    print_line("scaled      %s, the image times %s", percent(found.scaled_error).c_str(),
               scale_in_words(found.scale).c_str());
    print_line("largest     %s of the reference's largest value, at %s",
               percent(found.largest).c_str(),
               voxel_in_words(reference, found.frame, found.voxel).c_str());
    for (std::size_t f = 0; found.scaled_errors.size() > 1 && f < found.scaled_errors.size(); ++f) {
        const double error = found.scaled_errors[f];
        const std::string& label = reference.about.frames[f].label;
        print_line("%-11s %s", (label.empty() ? text("frame ", f) : label).c_str(),
                   std::isnan(error) ? "failed" : percent(error).c_str());
    }
}

PageContent page_of_both(const StoredImage& image, const StoredImage& reference,
                         const ComparedImages& found) {
    const bool is_real = found.of_magnitudes || reference.part != ImagePart::complex;
    return {image.file + " - " + reference.file,
            {{"image", image},
             {"reference", reference},
             {"difference, scaled", difference(image, reference, found),
              is_real ? PageColours::two_sided : PageColours::grey}},
            {{"error " + rounded(100 * found.error) + " %"},
             {rounded(100 * found.scaled_error) + " % with the image times " +
              scale_in_words(found.scale)}}};
}

ExitCode run_compare(CompareFlags& options) {
    require_input(options.image, "IMAGE");
    require_input(options.reference, "REFERENCE");
    std::vector<NamedInput> inputs;
    for (const auto& [name, path] :
         {std::pair("IMAGE", options.image), std::pair("REFERENCE", options.reference)}) {
        for (const std::string& file : format_of_input(path).files(path)) {
            inputs.push_back({name, file});
        }
    }
    check_files(inputs, {{"--output", options.output, FileKind::html}},
                options.quiet || options.json);
    Console console(options.quiet || options.json);
    const StoredImage image = opened(options.image, console);
    const StoredImage reference = opened(options.reference, console);
    const ComparedImages found = compared(image, reference, options.magnitudes);
    if (options.json) {
        put_page(page_of(as_json(found)));
    } else {
        print(found, reference);
    }
    if (!options.output.empty()) {
        write_text(options.output,
                   make_page(page_of_both(image, reference, found), options.megabytes, console));
    }
    return ExitCode::done;
}

} // namespace

Bound bind_compare() {
    return bound(&options_of_compare, &run_compare);
}

} // namespace lsrecon::app
