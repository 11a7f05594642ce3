// convert: writes an image in another format.

#include <algorithm>
#include <cmath>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/machine.hpp"
#include "base/numbers.hpp"
#include "base/version.hpp"
#include "io/image/formats.hpp"
#include "io/image/stored.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon::app {

namespace {

struct ConvertFlags {
    std::string input;
    std::string output;
    std::string to; ///< "": by the ending of the output
    std::optional<ImagePart> part; ///< else the format's own
    ImageInput read;
    std::optional<std::size_t> frame;
    std::optional<IndexRange> slices;
    std::optional<std::pair<double, double>> window;
    std::optional<double> percentile;
    bool keep_failed = false;
    bool quiet = false;
};

std::string name_of(ImagePart part) {
    return image_part_names()[static_cast<std::size_t>(part)];
}

ImagePart part_of(const ImageFormat& format, const std::optional<ImagePart>& wanted) {
    const ImagePart part = wanted.value_or(format.parts.front());
    if (std::find(format.parts.begin(), format.parts.end(), part) == format.parts.end()) {
        std::vector<std::string> possible;
        for (const ImagePart one : format.parts) {
            possible.push_back(name_of(one));
        }
        throw UsageError({"", "--part", name_of(part),
                          "for " + format.summary + ": " + comma_separated(possible),
                          "choose another part or another format"});
    }
    return part;
}

GreyScale grey_of(const ConvertFlags& options, const ImageFormat& format, ImagePart part) {
    if ((options.window || options.percentile) && format.kind != FileKind::png) {
        throw UsageError({"", "--window or --percentile", "an output of " + format.summary,
                          "a PNG picture: other formats keep the values as they are",
                          "leave the flag out"});
    }
    if (options.percentile && part == ImagePart::phase) {
        throw UsageError({"", "--percentile", "a picture of phases",
                          "another part: phases are shown from -pi to pi",
                          "use --window LOW,HIGH in rad"});
    }
    GreyScale grey;
    grey.percentile = options.percentile.value_or(grey.percentile);
    grey.window = options.window;
    return grey;
}

StoredImage selected(const ConvertFlags& options, StoredImage image) {
    if (options.frame) {
        image = only_frame(image, *options.frame);
    }
    if (!options.slices) {
        return image;
    }
    const bool of_frames = image.about.grid.dimensions == 2 && !find_slices(image).volumes.empty();
    return only_slices(of_frames ? with_slices_stacked(image) : image, *options.slices);
}

/// Reports frames that failed: without --keep-failed it is an error.
void consider_failed(const StoredImage& image, bool keep, Reporter& report) {
    const std::vector<std::size_t> failed = failed_among(image.about.frames);
    if (failed.empty()) {
        return;
    }
    const std::string list = list_of_failures(failed, image.frames());
    if (!keep) {
        throw InputError({image.file, image.thing, list, "an image without failed frames",
                          "convert another frame with --frame, or pass --keep-failed to write NaN "
                          "(a cross in a picture)"});
    }
    report.add({Found::frames_as_nan, {}, {{"failed", list}}});
}

/// Takes the part that the file holds where --part names none. UsageError when nothing would
/// change.
void stay_in_format(const ConvertFlags& options, const ImageFormat& format,
                    const StoredImage& image, ImageOutput& output) {
    const std::vector<ImagePart>& parts = format.parts;
    if (!options.part && std::find(parts.begin(), parts.end(), image.part) != parts.end()) {
        output.part = image.part;
    }
    const bool same = !options.frame && !options.slices && output.part == image.part &&
                      ending_of(options.input) == ending_of(options.output);
    if (same || image.of_coils) { // of which there would be an image
        throw UsageError({options.input, "IN", "already " + format.summary,
                          "another format, ending or part",
                          "copy the file, or choose another --to, --part, --frame or --slices"});
    }
}

ExitCode run_convert(ConvertFlags& options) {
    const ImageFormat& to = format_of_output(options.output, options.to);
    ImageOutput output;
    output.path = options.output;
    output.part = part_of(to, options.part);
    output.grey = grey_of(options, to, output.part);
    to.require_built();
    const ImageFormat& from = format_of_input(options.input);
    std::vector<NamedInput> inputs;
    for (const std::string& file : from.files(options.input)) {
        inputs.push_back({"IN", file});
    }
    std::vector<NamedOutput> outputs;
    for (const std::string& file : to.files(options.output)) {
        outputs.push_back({"--output", file, to.kind});
    }
    check_files(inputs, outputs, options.quiet);
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
    console.add(image.findings);
    consider_failed(image, options.keep_failed, console);
    require_sound_values(image);
    to.write(image, output, console);
    console.info(text(output.path, ": ", name_of(output.part), ", ", by(image.about.grid.size, 3),
                      " voxels, ", counted(image.frames(), "frame")));
    return ExitCode::done;
}

Value slices_value(std::optional<IndexRange>& slices) {
    const auto take = [&slices](const std::string& word) -> std::string {
        const std::vector<std::string> ends = split(word, '-');
        IndexRange& range = slices.emplace();
        const bool known = ends.size() < 3 && take_number(range.first, ends[0], whole(0)).empty() &&
                           take_number(range.last, ends.back(), whole(0)).empty();
        return known ? "" : "A or A-B, whole numbers from 0";
    };
    return {"A-B", take, [] { return ""; }};
}

Value window_value(std::optional<std::pair<double, double>>& window) {
    const auto take = [&window](const std::string& word) -> std::string {
        std::vector<double> ends;
        const bool known = number(ends, any_number(), "").take(word).empty() && ends.size() == 2 &&
                           ends[0] < ends[1];
        if (!known) {
            return "LOW,HIGH: two numbers, the lower one first";
        }
        window = {ends[0], ends[1]};
        return "";
    };
    return {"LOW,HIGH", take, [] { return ""; }};
}

OptionTable options_of_convert(ConvertFlags& options) {
    return joined(
        {in("Reading",
            {{"IN", name(options.input), "image file or coil maps, recognised by its content",
              Is::required,
              More{
                  "Files of lsrecon, NIfTI-1 (.nii, .hdr and .img, each also .gz), ISMRMRD images, "
                  "or BART's pair NAME.cfl and NAME.hdr. Convert DICOM with other tools."}},
             {"frame", number(options.frame, whole(0), "F"), "one frame, counted from 0",
              Default{"all"}},
             {"slices", slices_value(options.slices), "slices along z, counted from 0",
              Default{"all"}},
             {"map", choice(options.read.dataset, {"noise_map", "g_factor"}),
              "noise_map or g_factor in place of the image", Default{"the image"},
              More{"`recon --noise-map` makes them."}},
             {"keep_failed", toggle(options.keep_failed),
              "write NaN for frames that recon could not make",
              More{"A picture shows a cross for them. Without this option such an image is "
                   "refused."}},
             {"fov_mm", number(options.read.fov_mm, positive(), "X,Y[,Z]"),
              "field of view of a cfl file, which holds none", Unit{"mm"},
              Default{"1 mm a voxel"}}}),
         in("Output",
            {output_option(options.output, "file to write"),
             {"to", choice(options.to, names_of(image_formats())), "format of the output",
              Default{"by the ending of the output"}, More{"Formats:" + listed(image_formats())}},
             {"part", choice(options.part, image_part_names()), "part of complex values",
              Default{"magnitude or complex"},
              More{"One of " + comma_separated(image_part_names()) +
                   ". The phase is in rad. By default NIfTI and PNG get the magnitude, and other "
                   "formats the complex values. A file that stays in its format keeps its part."}},
             {"window", window_value(options.window), "PNG: values shown as black and as white"},
             {"percentile", number(options.percentile, positive(100)),
              "PNG: percentile of the magnitudes shown as white",
              Default{text(GreyScale::usual_percentile)}, Excludes{"window"}},
             quiet_option(options.quiet)})});
}

} // namespace

Bound bind_convert() {
    return bound(&options_of_convert, &run_convert);
}

} // namespace lsrecon::app
