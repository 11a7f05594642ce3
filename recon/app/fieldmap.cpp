// fieldmap: makes a field map of images at several echo times, of scans or of files of images.

#include <algorithm>
#include <cmath>
#include <set>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "base/machine.hpp"
#include "base/version.hpp"
#include "io/field_file.hpp"
#include "io/formats.hpp"
#include "io/image/formats.hpp"
#include "io/scan_file.hpp"
#include "model/field_from_echoes.hpp"
#include "reconstruct_echoes.hpp"
#include "reconstruct_file.hpp"

namespace lsrecon::app {

namespace {

struct FieldFlags {
    std::vector<std::string> inputs;
    std::string scan; ///< of scan_options, which has no row here
    std::string output;
    std::vector<double> echo_times; ///< ms
    ReadOptions read;
    ReconstructOptions reconstruct;
    ComputeOptions compute;
    bool json = false;
    bool quiet = false;
};

Option inputs_option(std::vector<std::string>& inputs) {
    return {"INPUTS",
            file_names(inputs),
            "a scan, two scans, complex images, or magnitude and phase",
            Is::required,
            Is::repeated,
            More{"The frames of images are the echoes: the fourth axis of NIfTI. Real images are "
                 "the magnitude and then the phase, in rad or in the units of a scanner (-4096 to "
                 "4095 or 0 to 4095). One phase for two echo times is their difference."}};
}

OptionTable options_of_fieldmap(FieldFlags& options) {
    return joined(
        {in("Reading",
            {inputs_option(options.inputs),
             {"echo_times", number(options.echo_times, positive(), "MS,MS[,MS]"),
              "echo times of the frames", Is::daily, Unit{"ms"}, Default{"those of the scans"}}}),
         without({"SCAN"}, scan_options(options.scan, options.read)),
         geometry_options(options.reconstruct.prepare.geometry),
         maps_options(options.reconstruct.prepare), device_options(options.compute),
         in("Output",
            {output_option(options.output, "file to write: HDF5, or NIfTI by its ending",
                           "HDF5 holds `/field_map` in Hz, `/mask` and `/deviation` "
                           "[(Z,) Y, X]. In NIfTI voxels beyond the mask are NaN."),
             {"json", toggle(options.json), "print the facts of the map as JSON", Is::about_output},
             quiet_option(options.quiet)})});
}

std::vector<double> in_seconds(std::vector<double> times) {
    for (double& time : times) {
        time /= 1000;
    }
    return times;
}

/// A scan with the times of its samples, if the file says them.
ScanFile opened(const std::string& path, ReadOptions read, Console& console) {
    try {
        read.with_times = true;
        return ScanFile(path, read, console);
    } catch (const InputError&) { // of missing times, or it comes again
        read.with_times = false;
        return ScanFile(path, read, console);
    }
}

EchoFieldMap map_of_scans(FieldFlags& options, Record& record, Console& console) {
    const auto transforms = open_transforms(options.compute, console);
    PrepareOptions& prepare = options.reconstruct.prepare;
    std::vector<ScanFile> files;
    for (const std::string& path : options.inputs) {
        files.push_back(opened(path, reading_for(prepare, options.read), console));
        require_samples(files.back().scan());
    }
    read_values(prepare, files.front().scan());
    std::vector<FrameSource*> scans;
    for (ScanFile& file : files) {
        scans.push_back(&file);
    }
    record = make_record(files.front().scan(), transforms->computed_by(), record);
    return field_map_of(scans, in_seconds(options.echo_times), *transforms, options.reconstruct,
                        &stacked, console);
}

[[noreturn]] void refuse(const StoredImage& image, const std::string& found,
                         const std::string& expected, const std::string& next) {
    throw InputError({image.file, image.thing, found, expected, next});
}

/// The factor from the numbers of a phase to rad.
double scale_of_phase(const StoredImage& image, Reporter& report) {
    double least = 0;
    double most = 0;
    for (std::size_t f = 0; f < image.frames(); ++f) {
        for (const std::complex<float>& value : image.values(f)) {
            least = std::min(least, static_cast<double>(value.real()));
            most = std::max(most, static_cast<double>(value.real()));
        }
    }
    constexpr double rounding = 1.001;
    constexpr double levels = 4096;
    if (most - least <= 2 * pi * rounding) {
        return 1;
    }
    const bool is_signed = least < 0;
    constexpr double thousandths = 1000 * pi;
    if (most - least <= 2 * thousandths * rounding && most - least > 1.9 * thousandths &&
        std::abs(most + least) < 0.1 * thousandths) {
        report.info(text(image.file, ": the phase is in thousandths of a rad"));
        return 1e-3;
    }
    if (least < -levels * rounding || most > levels * rounding || most - least < levels / 2) {
        refuse(image, text("a phase from ", least, " to ", most),
               "rad, or units of a scanner: -4096 to 4095, or 0 to 4095",
               "convert the phase to rad");
    }
    report.info(text(image.file, ": the phase is in units of the scanner, ",
                     is_signed ? "8192" : "4096", " a turn"));
    return pi / (is_signed ? levels : levels / 2);
}

/// Echoes of a magnitude and a phase.
std::vector<CoilRows> combined(const StoredImage& magnitude, const StoredImage& phase,
                               std::size_t echoes, Reporter& report) {
    const bool is_difference = phase.frames() == 1 && echoes == 2;
    if (phase.frames() != echoes && !is_difference) {
        refuse(phase, counted(phase.frames(), "frame"),
               text(echoes, ", one for each of `echo_times`"), "name the phase of all echoes");
    }
    const double scale = scale_of_phase(phase, report);
    std::vector<CoilRows> images;
    for (std::size_t e = 0; e < echoes; ++e) {
        const ImageValues sizes = magnitude.values(std::min(e, magnitude.frames() - 1));
        const ImageValues angles = phase.values(is_difference ? 0 : e);
        const double turned = is_difference && e == 0 ? 0 : scale;
        CoilRows::Floats image(1, static_cast<Eigen::Index>(sizes.size()));
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            image(0, static_cast<Eigen::Index>(i)) = std::complex<float>(
                std::polar<double>(std::abs(sizes[i].real()), turned * angles[i].real()));
        }
        images.emplace_back(std::move(image));
    }
    return images;
}

std::vector<StoredImage> open_images(const FieldFlags& options) {
    std::vector<StoredImage> images;
    for (const std::string& path : options.inputs) {
        images.push_back(with_slices_stacked(format_of_input(path).open(path, {})));
        require_sound_values(images.back());
        const Grid& grid = images.back().about.grid;
        const Grid& first = images.front().about.grid;
        if (!grid.same_lattice(first)) {
            refuse(images.back(), by(grid.size, 3) + " voxels",
                   by(first.size, 3) + ", those of " + images.front().file,
                   "name images on one grid");
        }
    }
    return images;
}

EchoFieldMap map_of_images(const FieldFlags& options, Record& record, Console& console) {
    const std::vector<StoredImage> images = open_images(options);
    const StoredImage& first = images.front();
    if (options.echo_times.size() < 2) {
        refuse(first, counted(options.echo_times.size(), "echo time"),
               "two or more, which images do not say", "pass `echo_times` MS,MS");
    }
    const std::set<double> times(options.echo_times.begin(), options.echo_times.end());
    if (times.size() < options.echo_times.size()) {
        refuse(first, "equal echo times", "times that differ", "correct `echo_times`");
    }
    EchoImages echoes{first.about.grid, in_seconds(options.echo_times), {}};
    const bool are_real = first.part == ImagePart::real;
    if (are_real && (images.size() != 2 || images[1].part != ImagePart::real)) {
        refuse(first, "real numbers", "complex images, or a magnitude and a phase",
               "name the phase, too: lsrecon fieldmap MAGNITUDE PHASE");
    }
    if (are_real) {
        echoes.images = combined(first, images[1], echoes.times.size(), console);
    }
    for (std::size_t i = 0; !are_real && i < images.size(); ++i) {
        for (std::size_t f = 0; f < images[i].frames(); ++f) {
            const ImageValues values = images[i].values(f);
            echoes.images.emplace_back(CoilRows::Floats(Eigen::Map<const CoilRows::Floats>(
                values.data(), 1, static_cast<Eigen::Index>(values.size()))));
        }
    }
    if (echoes.images.size() != echoes.times.size()) {
        refuse(first, counted(echoes.images.size(), "echo"),
               text(echoes.times.size(), ", one for each of `echo_times`"),
               "name a time for each echo");
    }
    record.insert(record.begin(), {{"program", std::string("lsrecon ") + version},
                                   {"made", utc_now()},
                                   {"echoes", comma_separated(options.inputs)}});
    const Stage stage(console, "field map");
    const auto& frames = first.about.frames;
    EchoFieldMap map;
    map.grid = first.about.grid;
    map.times = echoes.times;
    map.slices.push_back({"", frames.front().position, field_from_echoes(echoes)});
    consider_pieces(map, first.file, console);
    return map;
}

/// Numbers of a map over all of its slices.
struct FieldFacts {
    double least = HUGE_VAL, most = -HUGE_VAL; ///< Hz
    double alone = 0, smoothed = 0; ///< Hz, of the slice with the most noise
    std::size_t voxels = 0;
    std::vector<FieldPiece> others; ///< pieces beside the largest of each slice
};

FieldFacts facts_of(const EchoFieldMap& map) {
    FieldFacts facts;
    for (const SliceField& slice : map.slices) {
        const EchoField& field = slice.of;
        for (std::size_t i = 0; i < field.mask.size(); ++i) {
            if (field.mask[i]) {
                facts.least = std::min(facts.least, field.field(static_cast<Eigen::Index>(i)));
                facts.most = std::max(facts.most, field.field(static_cast<Eigen::Index>(i)));
                ++facts.voxels;
            }
        }
        facts.alone = std::max(facts.alone, field.unsmoothed);
        facts.smoothed = std::max(facts.smoothed, field.unsmoothed * std::sqrt(field.gain));
        if (field.pieces.size() > 1) {
            facts.others.insert(facts.others.end(), field.pieces.begin() + 1, field.pieces.end());
        }
    }
    return facts;
}

void put_json(const FieldFlags& options, const EchoFieldMap& map, const FieldFacts& facts,
              const Reporter& report) {
    nlohmann::json json = json_of_kind("echo_field");
    json["file"] = options.output;
    json["echo_times_s"] = map.times;
    json["period_hz"] = map.slices.front().of.period;
    json["range_hz"] = {facts.least, facts.most};
    json["noise_hz"] = {{"voxel", facts.alone}, {"smoothed", facts.smoothed}};
    json["voxels"] = facts.voxels;
    json["slices"] = map.slices.size();
    json["pieces"] = nlohmann::json::array();
    for (const FieldPiece& piece : facts.others) {
        json["pieces"].push_back({{"voxels", piece.voxels}, {"median_hz", piece.median}});
    }
    json["warnings"] = warnings_as_json(report.findings());
    put_page(page_of(json));
}

ExitCode run_fieldmap(FieldFlags& options) {
    if (options.inputs.size() > 2) {
        throw UsageError("INPUTS: one or two files\n  next:     name a scan, two scans, or images");
    }
    std::vector<NamedInput> inputs = inputs_of(options_of_fieldmap(options));
    for (const std::string& path : options.inputs) {
        inputs.push_back({"INPUTS", path});
    }
    const bool is_nifti = is_nifti_name(options.output);
    if (is_nifti) {
        require_nifti();
    }
    check_files(inputs, {{"--output", options.output, is_nifti ? FileKind::nifti : FileKind::hdf5}},
                options.quiet);
    const bool are_scans = is_scan(options.inputs.front());
    if (are_scans != is_scan(options.inputs.back())) {
        throw UsageError("INPUTS: a scan and an image\n  next:     name scans, or images");
    }
    Console console(options.quiet);
    Record record = settings_of(&options_of_fieldmap, options);
    const EchoFieldMap map = are_scans ? map_of_scans(options, record, console)
                                       : map_of_images(options, record, console);
    const FieldFacts facts = facts_of(map);
    write_field_map(options.output, map, record, console);
    if (options.json) {
        put_json(options, map, facts, console);
        return ExitCode::done;
    }
    console.info(formatted("field      %.0f to %.0f Hz in %zu voxels; 1 / echo distance %.0f Hz",
                           facts.least, facts.most, facts.voxels, map.slices.front().of.period));
    console.info(formatted("noise      %.2g Hz a voxel, %.2g Hz once smoothed", facts.alone,
                           facts.smoothed));
    for (const FieldPiece& piece : facts.others) {
        console.info(formatted("piece      %zu voxels apart from the others, median %.0f Hz",
                               piece.voxels, piece.median));
    }
    return ExitCode::done;
}

} // namespace

Bound bind_fieldmap() {
    return bound(&options_of_fieldmap, &run_fieldmap);
}

} // namespace lsrecon::app
