// info and check: print what a file holds, and what is wrong with a scan.

#include <algorithm>
#include <set>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/json.hpp"
#include "app/output.hpp"
#include "base/escaped.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/beside.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/file.hpp"
#include "io/image/formats.hpp"
#include "io/maps_file.hpp"
#include "io/record.hpp"
#include "io/scan_file.hpp"
#include "model/model_check.hpp"
#include "model/prepared_scan.hpp"
#include "scan/check.hpp"
#include "scan/failed_frames.hpp"
#include "scan/pose.hpp"

namespace lsrecon::app {

namespace {

struct InfoFlags {
    std::string scan;
    ReadOptions read;
    bool json = false; ///< option of info
    bool model = false; ///< option of check
    ComputeOptions compute; ///< options of the model check
};

/// What a file holds: lines for people, and the same as JSON.
struct Contents {
    Record lines;
    nlohmann::json json;

    explicit Contents(const std::string& kind) : json(json_of_kind(kind)) {}
    void add(const std::string& name, const std::string& words) { lines.emplace_back(name, words); }
    void add_text(const std::string& name, const std::string& words) {
        add(name, words);
        json[name] = words;
    }
};

/// The first `dimensions` of the values.
template <typename Values> nlohmann::json list_of(const Values& values, int dimensions) {
    return std::vector(values.begin(), values.begin() + dimensions);
}

nlohmann::json range_of(const RealVector& values) {
    return {values.minCoeff(), values.maxCoeff()};
}

void add_grid(Contents& to, const Grid& grid) {
    to.add("matrix", by(grid.size, grid.dimensions) + " voxels");
    to.add("fov", by(grid.fov_mm, grid.dimensions) + " mm");
    to.json["matrix"] = list_of(grid.size, grid.dimensions);
    to.json["fov_mm"] = list_of(grid.fov_mm, grid.dimensions);
}

void add_trajectory(Contents& to, const Scan& scan, const Trajectory& trajectory) {
    const char* const names[] = {"kx", "ky", "kz"};
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
        const auto [low, high] = std::minmax_element(
            trajectory.positions.begin(), trajectory.positions.end(),
            [d](const Vec3& one, const Vec3& other) { return one[d] < other[d]; });
        to.add(names[d], formatted("%.4g to %.4g cycles/fov, N/2 is %.4g", (*low)[d], (*high)[d],
                                   static_cast<double>(scan.grid.size[d]) / 2));
        to.json["trajectory_range"].push_back({(*low)[d], (*high)[d]});
    }
}

void add_off_resonance(Contents& to, const Scan& scan) {
    const RealVector& times = scan.frames.front().trajectory->times;
    if (!scan.off_resonance || times.size() == 0) {
        return;
    }
    const RealVector& field = scan.off_resonance->field;
    const double longest = times.maxCoeff() - times.minCoeff();
    to.add("field map", formatted("%.4g to %.4g Hz; %.4g turns during the %.4g ms of the times",
                                  field.minCoeff(), field.maxCoeff(),
                                  field.cwiseAbs().maxCoeff() * longest, 1e3 * longest));
    to.json["field_map_hz"] = range_of(field);
    to.json["readout_s"] = longest;
    if (const RealVector& r2star = scan.off_resonance->r2star; r2star.size() > 0) {
        to.add("R2*", formatted("%.4g to %.4g 1/s", r2star.minCoeff(), r2star.maxCoeff()));
        to.json["r2star_per_s"] = range_of(r2star);
    }
}

std::string in_words(const Vec3& v) {
    return text("(", v[0] + 0.0, ", ", v[1] + 0.0, ", ", v[2] + 0.0, ")"); // no -0
}

/// "500: repetition 0; repetition 1; ...; repetition 499"; the number alone without labels.
template <typename Frames> std::string frames_in_words(const Frames& frames) {
    constexpr std::size_t first = 3;
    const std::size_t count = frames.size();
    std::string words = text(count);
    for (std::size_t f = 0; f < count && !label_beside_index(frames[0].label, 0).empty(); ++f) {
        if (f < first || f + 1 == count) {
            words += (f == 0 ? ": " : "; ") + label_beside_index(frames[f].label, f);
        } else if (f == first) {
            words += "; ...";
        }
    }
    return words;
}

template <typename Frames> void add_labels(Contents& to, const Frames& frames) {
    to.add("frames", frames_in_words(frames));
    to.json["frames"] = frames.size();
    for (std::size_t f = 0; f < frames.size(); ++f) {
        if (!label_beside_index(frames[0].label, 0).empty()) {
            to.json["frame_labels"].push_back(frames[f].label);
        }
    }
}

/// The first of them, and how many more there are.
void add_first(Contents& to, const std::string& name, std::size_t most,
               const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
        to.add(name, words[i]);
    }
    if (words.size() > most) {
        to.add(name, text(words.size() - most, " more"));
    }
}

/// The number of different positions: those of repetitions may differ by rounding.
std::size_t count_positions(const std::vector<Vec3>& positions) {
    std::vector<Vec3> different;
    for (const Vec3& position : positions) {
        const bool known = std::any_of(different.begin(), different.end(), [&](const Vec3& one) {
            return are_same_position(one, position);
        });
        if (!known) {
            different.push_back(position);
        }
    }
    return different.size();
}

/// Adds the position and orientation of the grid in the patient, in LPS.
void add_pose(Contents& to, const Scan& scan) {
    std::vector<Vec3> of_frames;
    for (const Frame& frame : scan.frames) {
        if (frame.position) {
            of_frames.push_back(*frame.position);
        }
    }
    const std::size_t different = count_positions(of_frames);
    if (different > 1) {
        to.add("positions", text(different, ", of the first frame ", in_words(of_frames.front()),
                                 " mm, of the last ", in_words(of_frames.back()), " mm"));
        to.json["frame_positions_mm"] = of_frames;
    } else if (scan.grid.position) {
        to.add("position", in_words(*scan.grid.position) + " mm");
        to.json["position_mm"] = *scan.grid.position;
    }
    if (scan.grid.directions) {
        std::string words;
        for (std::size_t d = 0; d < 3; ++d) {
            const Vec3& direction = (*scan.grid.directions)[d];
            words += text(d == 0 ? "" : ", ", "xyz"[d], " to ", towards(direction), " ",
                          in_words(direction));
        }
        to.add("directions", words);
        to.json["directions"] = *scan.grid.directions;
    }
}

void add_frames(Contents& to, const Scan& scan) {
    std::size_t least = scan.frames.front().trajectory->samples();
    std::size_t most = least;
    for (const Frame& frame : scan.frames) {
        least = std::min(least, frame.trajectory->samples());
        most = std::max(most, frame.trajectory->samples());
    }
    add_labels(to, scan.frames);
    to.add("samples", text(least == most ? "" : text(least, " to "), most, " per coil and frame"));
    to.json["samples_per_frame"] = {least, most};
}

void add_calibrations(Contents& to, const Scan& scan) {
    constexpr std::size_t most = 4; // of many slices
    std::vector<std::string> words;
    for (const Frame& calibration : scan.calibrations) {
        words.push_back(text(calibration.trajectory->samples(), " samples per coil",
                             calibration.label.empty() ? "" : " of ", calibration.label));
        to.json["calibrations"].push_back(
            {{"samples", calibration.trajectory->samples()}, {"label", calibration.label}});
    }
    add_first(to, "calibration", most, words);
}

void add_bad(Contents& to, const ScanFile& source) {
    constexpr std::size_t most = 20;
    std::vector<std::string> words;
    for (const auto& [frame, error] : source.bad()) {
        words.push_back(text("frame ", frame, ": ", on_one_line(error.what())));
        to.json["bad_frames"].push_back(
            {{"frame", frame}, {"error", with_flags(on_one_line(error.what()))}});
    }
    add_first(to, "bad", most, words);
}

void add_coils(Contents& to, const Scan& scan) {
    to.add("coils",
           text(scan.coils(), scan.coil_maps.empty() ? ", without" : ", with", " coil maps"));
    to.json["coils"] = scan.coils();
    to.json["coil_maps"] = !scan.coil_maps.empty();
    if (!scan.coil_maps.empty()) {
        const SumOfSquares squares = sum_of_squares(scan.coil_maps);
        to.add("sum |map|^2",
               formatted("at most %.4g, mean %.4g over the %zu voxels where it is not 0",
                         squares.largest, squares.mean, squares.voxels));
        to.json["coil_maps_squares_largest"] = squares.largest;
        to.json["coil_maps_squares_mean"] = squares.mean;
    }
}

void add_findings(Contents& to, const Findings& findings) {
    for (const Finding& finding : findings) {
        to.add("note", words_of(finding));
    }
    to.json["warnings"] = warnings_as_json(findings);
}

/// Details of the measurement, facts and findings on reading.
void add_words(Contents& to, const Scan& scan) {
    constexpr std::size_t longest = 400; // some headers hold whole protocols
    to.json["details"] = nlohmann::json::object();
    for (const auto& [name, value] : scan.details) {
        to.add(name, printable(value, longest));
        to.json["details"][name].push_back(value);
    }
    to.json["facts"] = nlohmann::json::array();
    for (const std::string& fact : scan.facts) {
        to.add("fact", fact);
        to.json["facts"].push_back(with_flags(fact));
    }
    add_findings(to, scan.findings);
}

Contents contents_of_scan(const std::string& path, ReadOptions read) {
    read.bad_frames = true;
    const ScanFile source(path, read);
    Contents to("scan");
    const Scan& scan = source.scan();
    const Trajectory& first = *scan.frames.front().trajectory;
    to.add_text("file", scan.file);
    to.add_text("format", scan.format);
    to.add("SHA-256", scan.sha256());
    to.json["sha256"] = scan.sha256();
    add_grid(to, scan.grid);
    if (scan.voxels) {
        to.add("voxels", text(scan.voxels->size(), " positions off the grid"));
        to.json["voxels_off_grid"] = scan.voxels->size();
    }
    add_pose(to, scan);
    add_frames(to, scan);
    add_coils(to, scan);
    add_trajectory(to, scan, first);
    to.add("phi", first.phi.size() > 0 ? "given" : "not given");
    to.add("weights", first.weights.size() > 0 ? "given" : "not given");
    to.json["phi"] = first.phi.size() > 0;
    to.json["weights"] = first.weights.size() > 0;
    add_off_resonance(to, scan);
    if (!scan.noise.empty()) {
        to.add("noise", text(scan.noise.columns(), " samples per coil"));
    }
    to.json["noise_samples"] = scan.noise.empty() ? 0 : scan.noise.columns();
    add_calibrations(to, scan);
    add_words(to, scan);
    add_bad(to, source);
    return to;
}

void add_dataset(Contents& to, const Hdf5Reader& file, const std::string& dataset) {
    const Hdf5Shape shape = file.shape(dataset);
    to.add_text("file", file.path());
    to.add("/" + dataset, shape.to_string());
    to.json["dataset"] = "/" + dataset;
    to.json["shape"] = shape.extents;
}

/// Notes first: they bear on trust.
void add_record(Contents& to, const Hdf5Reader& file, const Record& record) {
    const auto [notes, rest] = notes_and_rest(record);
    for (const Note& note : notes) {
        to.add("note", note.words);
    }
    to.lines.insert(to.lines.end(), rest.begin(), rest.end());
    const bool is_own = file.has_attribute("/", "format") &&
                        file.attribute_in_words("/", "format").rfind("lsrecon-", 0) == 0;
    if (is_own) {
        return add_record_to(to.json, record);
    }
    add_record_to(to.json, {{"command", value_in(record, "command")}});
    to.json["foreign_record"] = record; // in the words of the other program
}

void add_failures(Contents& to, const std::vector<std::string>& errors) {
    for (std::size_t f = 0; f < errors.size(); ++f) {
        if (!errors[f].empty()) {
            to.add(text("failed: frame ", f), errors[f]);
            to.json["failed_frames"].push_back({{"frame", f}, {"error", with_flags(errors[f])}});
        }
    }
}

Contents contents_of_image(const Hdf5Reader& file) {
    Contents to("image");
    add_dataset(to, file, "image");
    const std::vector<ImageFrame> frames = frames_of_image(file);
    add_labels(to, frames);
    const Record record = record_of(file);
    const Record solves = solves_in_words(frames, record);
    to.lines.insert(to.lines.end(), solves.begin(), solves.end());
    if (const std::optional<Endings> endings = endings_of(frames)) {
        to.json["solves"] = {{"iterations", endings->iterations},
                             {"residuals", endings->residuals},
                             {"stopped_by_tolerance", endings->by_tolerance},
                             {"stopped_by_limit", endings->by_limit}};
    }
    add_failures(to, frame_errors(file));
    add_record(to, file, record);
    return to;
}

Contents contents_of_maps(const Hdf5Reader& file) {
    Contents to("maps");
    add_dataset(to, file, "coil_maps");
    Grid like;
    like.dimensions = file.shape("coil_maps").extents.size() == 4 ? 3 : 2;
    const StoredVolumes maps = read_volumes(coil_maps_beside, file.path(), like);
    const Record record = record_of(file);
    if (const std::string method = value_in(record, "maps"); !method.empty()) {
        to.add_text("method", method);
    }
    const std::size_t voxels = maps.grid.voxels();
    const std::size_t with_signal = sum_of_squares(maps.values).voxels;
    to.add("coils", text(maps.values.rows()));
    to.json["coils"] = maps.values.rows();
    add_grid(to, maps.grid);
    to.add("signal",
           text("in ", with_signal, " of ", voxels, " voxels, ",
                rounded(100.0 * static_cast<double>(with_signal) / static_cast<double>(voxels)),
                " %"));
    to.json["voxels_with_signal"] = with_signal;
    add_record(to, file, record);
    return to;
}

/// The contents of an image whose format is not this program's own.
Contents contents_of(const ImageFormat& format, const std::string& path) {
    Contents to("other_image");
    const StoredImage image = format.open(path, {});
    to.add_text("file", path);
    to.add("format", format.summary + "; 'lsrecon view' shows it");
    to.json["format"] = format.summary;
    add_grid(to, image.about.grid);
    const bool is_complex = image.part == ImagePart::complex;
    to.add("values", is_complex ? "complex" : "real");
    to.json["complex"] = is_complex;
    add_labels(to, image.about.frames);
    add_findings(to, image.findings);
    return to;
}

/// Nothing when it is no output of the program.
std::optional<Contents> contents_of_output(const Hdf5Reader& file) {
    if (!file.has("record")) {
        return std::nullopt;
    }
    if (file.has("image")) {
        return contents_of_image(file);
    }
    if (holds_maps_alone(file)) {
        return contents_of_maps(file);
    }
    for (const char* const dataset : {"fhd", "q", "field_map"}) {
        if (file.has(dataset)) {
            Contents to(dataset);
            add_dataset(to, file, dataset);
            add_failures(to, frame_errors(file));
            add_record(to, file, record_of(file));
            return to;
        }
    }
    return std::nullopt;
}

/// Nothing for a scan.
std::optional<Contents> contents_of_no_scan(const std::string& path) {
    const ImageFormat* const format = other_format_of(path);
    if (format == nullptr || format->kind == FileKind::hdf5) {
        const Hdf5Reader file(path);
        if (auto output = contents_of_output(file)) {
            return output;
        }
        if (format == nullptr || !name_of_scan_format(file).empty()) {
            return std::nullopt; // raw data may lie beside images
        }
    }
    return contents_of(*format, path);
}

ExitCode run_info(InfoFlags& options) {
    require_input(options.scan);
    std::optional<Contents> found;
    if (byte_format_of(InputFile(options.scan)) == nullptr) {
        found = contents_of_no_scan(options.scan);
    }
    const bool is_scan = !found;
    if (is_scan) {
        found = contents_of_scan(options.scan, options.read);
    }
    if (options.json) {
        put_page(page_of(found->json));
        return ExitCode::done;
    }
    for (const auto& [name, words] : found->lines) {
        print_line(is_scan ? "%-12s %s" : "%-25s %s", name.c_str(), words.c_str());
    }
    return ExitCode::done;
}

/// Prints the model check of the first usable frame of each slice.
void print_model(ScanFile& source, const ComputeOptions& options) {
    Console console(true);
    const auto transforms = open_transforms(options, console);
    std::set<std::string> printed;
    for (const Finding& finding : source.scan().findings) {
        printed.insert(words_of(finding));
    }
    PreparedScan prepared(source, PrepareOptions(), *transforms, console);
    for (const Finding& finding : prepared.findings()) {
        if (printed.count(words_of(finding)) == 0) {
            console.add(finding);
        }
    }
    ModelCheck model(prepared.maps_are_stored());
    for (const Slice& slice : prepared.slices()) {
        if (const std::optional<std::size_t> first = prepared.first_good_of(slice)) {
            model.compare(*transforms, prepared.scan(), slice.index,
                          prepared.model_of(slice, *transforms), prepared.frame(*first), console);
        }
    }
    print_line("model: %s", model.in_words().c_str());
}

ExitCode run_check(InfoFlags& options) {
    require_input(options.scan);
    ScanFile source(options.scan, options.read);
    for (const std::string& fact : source.scan().facts) {
        print_line("%s", fact.c_str());
    }
    for (const Finding& finding : source.scan().findings) {
        print_line("note: %s", words_of(finding).c_str());
    }
    print_line("%s: ok, SHA-256 %s", source.scan().file.c_str(), source.scan().sha256().c_str());
    if (options.model) {
        require_samples(source.scan());
        print_model(source, options.compute);
    }
    return ExitCode::done;
}

OptionTable options_of_info(InfoFlags& options) {
    return joined({scan_options(options.scan, options.read),
                   in("Output", {{"json", toggle(options.json), "print as JSON, by name"}})});
}

OptionTable options_of_check(InfoFlags& options) {
    return joined(
        {scan_options(options.scan, options.read),
         in("Measurement", {{"model", toggle(options.model),
                             "compare coil maps, field map and sign of the trajectory with others",
                             More{"The comparison is at low resolution."}}}),
         device_options(options.compute)});
}

} // namespace

void print_image_as_json(const std::string& path) {
    put_page(page_of(contents_of_image(Hdf5Reader(path)).json));
}

Bound bind_info() {
    return bound(&options_of_info, &run_info);
}

Bound bind_check() {
    return bound(&options_of_check, &run_check);
}

} // namespace lsrecon::app
