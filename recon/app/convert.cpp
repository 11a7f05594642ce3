#include <algorithm>
#include <cmath>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/validators.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/version.hpp"
#include "io/image/formats.hpp"
#include "io/image/slice_stack.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string input;
    std::string output;
    std::string to; ///< "": by the ending of the output
    std::string part; ///< "": the format's own
    ImageInput read;
    std::string frame;
    std::string slices;
    std::vector<double> window;
    std::optional<double> percentile;
    bool keep_failed = false;
    bool quiet = false;
};

ImagePart part_of(const ImageFormat& format, const std::string& name) {
    if (name.empty()) {
        return format.parts.front();
    }
    const auto& names = image_part_names();
    const auto part =
        static_cast<ImagePart>(std::find(names.begin(), names.end(), name) - names.begin());
    if (std::find(format.parts.begin(), format.parts.end(), part) == format.parts.end()) {
        std::string possible;
        for (const ImagePart one : format.parts) {
            possible += (possible.empty() ? "" : ", ") + names[static_cast<std::size_t>(one)];
        }
        throw UsageError({"", "--part", name, "for " + format.summary + ": " + possible,
                          "choose another part or another format"});
    }
    return part;
}

GreyScale grey_of(const Options& options, const ImageFormat& format, ImagePart part) {
    GreyScale grey;
    const bool asked = !options.window.empty() || options.percentile;
    if (asked && format.kind != FileKind::png) {
        throw UsageError({"", "--window or --percentile", "an output of " + format.summary,
                          "a PNG picture: other formats keep the values as they are",
                          "leave the flag out"});
    }
    if (options.percentile && part == ImagePart::phase) {
        throw UsageError({"", "--percentile", "a picture of phases",
                          "another part: phases are shown from -pi to pi",
                          "use --window LOW,HIGH in rad"});
    }
    if (options.percentile) {
        grey.percentile = *options.percentile;
    }
    if (!options.window.empty()) {
        const std::vector<double>& ends = options.window;
        if (ends.size() != 2 || !std::isfinite(ends[0]) || !std::isfinite(ends[1]) ||
            !(ends[0] < ends[1])) {
            std::string found;
            for (const double end : ends) {
                found += (found.empty() ? "" : ",") + shown(end);
            }
            throw UsageError({"", "--window", found, "LOW,HIGH: two numbers, the lower one first",
                              "name the values that are black and white"});
        }
        grey.window = {ends[0], ends[1]};
    }
    return grey;
}

std::size_t index_of(const std::string& word) {
    return std::stoull(word);
}

IndexRange range_of(const std::string& word) {
    const std::size_t dash = word.find('-');
    return {index_of(word.substr(0, dash)),
            index_of(dash == std::string::npos ? word : word.substr(dash + 1))};
}

std::vector<NamedInput> named_inputs(const std::string& path, const ImageFormat& format) {
    std::vector<NamedInput> inputs;
    for (const std::string& file : format.files(path)) {
        inputs.push_back({"IN", file});
    }
    return inputs;
}

std::vector<NamedOutput> named_outputs(const std::string& path, const ImageFormat& format) {
    std::vector<NamedOutput> outputs;
    for (const std::string& file : format.files(path)) {
        outputs.push_back({"--output", file, format.kind});
    }
    return outputs;
}

StoredImage selected(const Options& options, StoredImage image) {
    if (!options.frame.empty()) {
        image = only_frame(image, index_of(options.frame));
    }
    if (options.slices.empty()) {
        return image;
    }
    const bool of_frames = image.about.grid.dimensions == 2 && !find_slices(image).volumes.empty();
    return only_slices(of_frames ? with_slices_stacked(image) : image, range_of(options.slices));
}

/// What is said of frames that failed: without --keep-failed an error.
void consider_failed(const StoredImage& image, bool keep, Reporter& report) {
    const std::vector<std::size_t> failed = failed_among(image.about.frames);
    if (failed.empty()) {
        return;
    }
    const std::string found = list_of_failures(failed, image.frames());
    if (!keep) {
        throw InputError({image.file, image.thing, found, "an image without failed frames",
                          "convert one of the others with --frame, or pass --keep-failed for NaN "
                          "(in a picture a cross) in their place"});
    }
    report.note(found + "; NaN (in a picture a cross) is in their place");
}

void tell_what_it_holds(const StoredImage& image, const ImageOutput& output, Reporter& report) {
    const auto& size = image.about.grid.size;
    report.tell(text(output.path, ": ", image_part_names()[static_cast<std::size_t>(output.part)],
                     ", ", by(size, 3), " voxels, ", counted(image.frames(), "frame")));
}

/// Takes the part that the file holds where --part names none. UsageError when nothing would
/// change.
void stay_in_format(const Options& options, const ImageFormat& format, const StoredImage& image,
                    ImageOutput& output) {
    const std::vector<ImagePart>& parts = format.parts;
    if (options.part.empty() && std::find(parts.begin(), parts.end(), image.part) != parts.end()) {
        output.part = image.part;
    }
    const bool same = options.frame.empty() && options.slices.empty() &&
                      output.part == image.part &&
                      ending_of(options.input) == ending_of(options.output);
    if (same || image.of_coils) { // of which there would be an image
        throw UsageError({options.input, "IN", "already " + format.summary,
                          "another format, ending or part",
                          "copy the file, choose another --to or --part, or some of it by --frame "
                          "or --slices"});
    }
}

ExitCode run(const Options& options) {
    const ImageFormat& to = format_of_output(options.output, options.to);
    ImageOutput output;
    output.path = options.output;
    output.part = part_of(to, options.part);
    output.grey = grey_of(options, to, output.part);
    to.require_built();
    const ImageFormat& from = format_of_input(options.input);
    require_files(named_inputs(options.input, from), named_outputs(options.output, to));
    output.record = {{"program", std::string("lsrecon ") + version},
                     {"made", utc_now()},
                     {"command", command_line()},
                     {"converted_from", options.input},
                     {"converted_format", from.summary}};
    Console console(options.quiet);
    const StoredImage image = selected(options, from.open(options.input, options.read));
    if (&from == &to) {
        stay_in_format(options, to, image, output);
    }
    for (const std::string& remark : image.remarks) {
        console.note(remark);
    }
    consider_failed(image, options.keep_failed, console);
    require_sound_values(image);
    to.write(image, output, console);
    tell_what_it_holds(image, output, console);
    return ExitCode::done;
}

CLI::Validator index_or_range(bool range) {
    const std::string expected = range ? "A or A-B, whole numbers from 0" : "a whole number from 0";
    return CLI::Validator(
        [=](const std::string& word) {
            const std::size_t dash = range ? word.find('-') : std::string::npos;
            for (const std::string& part :
                 {word.substr(0, dash), dash == std::string::npos ? "0" : word.substr(dash + 1)}) {
                const bool digits = !part.empty() && part.size() < 10 &&
                                    part.find_first_not_of("0123456789") == std::string::npos;
                if (!digits) {
                    return refusal(word, expected);
                }
            }
            return std::string();
        },
        "");
}

std::string formats_help() {
    std::string help = "format of the output, in place of what its ending says:";
    for (const ImageFormat& format : image_formats()) {
        help += "\n  " + format.name + " (." + format.endings.front() + "): " + format.summary;
    }
    return help;
}

} // namespace

std::function<ExitCode()> bind_convert(CLI::App& sub) {
    auto options = std::make_shared<Options>();
    sub.add_option("IN", options->input,
                   "image file, coil maps of 'lsrecon maps', NIfTI-1 (.nii, .hdr and .img, each "
                   "also .gz), ISMRMRD images, or "
                   "BART's pair NAME.cfl and NAME.hdr; recognised by its content. DICOM comes "
                   "and goes as one of these")
        ->required()
        ->check(file_name());
    add_output_flag(sub, options->output, "file to write");
    std::vector<std::string> names;
    for (const ImageFormat& format : image_formats()) {
        names.push_back(format.name);
    }
    sub.add_option("--to", options->to, formats_help())->type_name("FORMAT")->check(one_of(names));
    sub.add_option("--part", options->part,
                   "magnitude, phase (rad), real, imaginary or complex [magnitude for NIfTI and "
                   "PNG, complex for the others; that of the file where the format stays]")
        ->type_name("PART")
        ->check(one_of(image_part_names()));
    sub.add_option("--frame", options->frame, "one frame, counted from 0 [all]")
        ->type_name("F")
        ->check(index_or_range(false));
    sub.add_option("--slices", options->slices, "slices of z, counted from 0 [all]")
        ->type_name("A-B")
        ->check(index_or_range(true));
    sub.add_option("--map", options->read.dataset,
                   "noise_map or g_factor in place of the image, of 'recon --noise-replicas'")
        ->type_name("MAP")
        ->check(one_of({"noise_map", "g_factor"}));
    sub.add_flag("--keep-failed", options->keep_failed,
                 "write NaN (in a picture a cross) for frames that 'recon' could not make; without "
                 "it such an image is refused");
    sub.add_option("--fov-mm", options->read.fov_mm,
                   "field of view of a cfl file, which holds none [1 mm a voxel]")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("X,Y[,Z]")
        ->check(positive_number());
    auto* const window =
        sub.add_option("--window", options->window, "PNG: values that are black and white")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->type_name("LOW,HIGH");
    sub.add_option("--percentile", options->percentile,
                   text("PNG: percentile of the magnitudes that is white [",
                        GreyScale::usual_percentile, "]"))
        ->type_name("P")
        ->check(positive_number())
        ->check(number_between(0.0, 100.0))
        ->excludes(window);
    add_quiet_flag(sub, options->quiet);
    return [options] { return run(*options); };
}

} // namespace lsrecon::app
