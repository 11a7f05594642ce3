// info and check: what a file holds, and what is wrong with a scan.

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>
#include <set>

#include "app/command.hpp"
#include "app/console.hpp"
#include "app/output.hpp"
#include "base/escaped.hpp"
#include "base/named_files.hpp"
#include "base/numbers.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/formats.hpp"
#include "io/image/reader.hpp"
#include "io/maps_file.hpp"
#include "io/record.hpp"
#include "io/scan_file.hpp"
#include "io/solves_in_words.hpp"
#include "model/model_check.hpp"
#include "model/prepared_scan.hpp"
#include "scan/check.hpp"
#include "scan/directions.hpp"
#include "scan/failed_frames.hpp"
#include "scan/header_numbers.hpp"

namespace lsrecon::app {

namespace {

struct Options {
    std::string scan;
    ReadOptions read;
    bool json = false; ///< option of info
    bool model = false; ///< option of check
    ComputeOptions compute; ///< options of the model check
};

void add_grid(Record& rows, const Grid& grid) {
    rows.emplace_back("matrix", by(grid.size, grid.dimensions) + " voxels");
    rows.emplace_back("fov", by(grid.fov_mm, grid.dimensions) + " mm");
}

void add_trajectory(Record& rows, const Scan& scan, const Sampling& sampling) {
    const char* const names[] = {"kx", "ky", "kz"};
    for (std::size_t d = 0; d < static_cast<std::size_t>(scan.grid.dimensions); ++d) {
        const auto [low, high] = std::minmax_element(
            sampling.trajectory.begin(), sampling.trajectory.end(),
            [d](const Vec3& one, const Vec3& other) { return one[d] < other[d]; });
        rows.emplace_back(names[d],
                          formatted("%.4g to %.4g cycles/fov, N/2 is %.4g", (*low)[d], (*high)[d],
                                    static_cast<double>(scan.grid.size[d]) / 2));
    }
}

void add_off_resonance(Record& rows, const Scan& scan) {
    const RealVector& times = scan.frames.front().sampling->times;
    if (!scan.off_resonance || times.size() == 0) {
        return;
    }
    const RealVector& field = scan.off_resonance->field;
    const double longest = times.maxCoeff() - times.minCoeff();
    rows.emplace_back("field map",
                      formatted("%.4g to %.4g Hz; %.4g turns during the %.4g ms of the times",
                                field.minCoeff(), field.maxCoeff(),
                                field.cwiseAbs().maxCoeff() * longest, 1e3 * longest));
    if (scan.off_resonance->r2star.size() > 0) {
        rows.emplace_back("R2*",
                          formatted("%.4g to %.4g 1/s", scan.off_resonance->r2star.minCoeff(),
                                    scan.off_resonance->r2star.maxCoeff()));
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

/// The first of them, and how many more there are.
void add_first(Record& rows, const std::string& name, std::size_t most,
               const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
        rows.emplace_back(name, words[i]);
    }
    if (words.size() > most) {
        rows.emplace_back(name, text(words.size() - most, " more"));
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

/// Adds the place of the grid in the patient, in LPS.
void add_place(Record& rows, const Scan& scan) {
    std::vector<Vec3> of_frames;
    for (const Frame& frame : scan.frames) {
        if (frame.position) {
            of_frames.push_back(*frame.position);
        }
    }
    const std::size_t different = count_positions(of_frames);
    if (different > 1) {
        rows.emplace_back("positions",
                          text(different, ", of the first frame ", in_words(of_frames.front()),
                               " mm, of the last ", in_words(of_frames.back()), " mm"));
    } else if (scan.grid.position) {
        rows.emplace_back("position", in_words(*scan.grid.position) + " mm");
    }
    if (scan.grid.directions) {
        std::string words;
        for (std::size_t d = 0; d < 3; ++d) {
            const Vec3& direction = (*scan.grid.directions)[d];
            words += text(d == 0 ? "" : ", ", "xyz"[d], " to ", towards(direction), " ",
                          in_words(direction));
        }
        rows.emplace_back("directions", words);
    }
}

void add_frames(Record& rows, const Scan& scan) {
    std::size_t least = scan.frames.front().sampling->samples();
    std::size_t most = least;
    for (const Frame& frame : scan.frames) {
        least = std::min(least, frame.sampling->samples());
        most = std::max(most, frame.sampling->samples());
    }
    rows.emplace_back("frames", frames_in_words(scan.frames));
    rows.emplace_back("samples",
                      text(least == most ? "" : text(least, " to "), most, " per coil and frame"));
}

void add_calibrations(Record& rows, const Scan& scan) {
    constexpr std::size_t most = 4; // of many slices
    std::vector<std::string> words;
    for (const Frame& calibration : scan.calibrations) {
        words.push_back(text(calibration.sampling->samples(), " samples per coil",
                             calibration.label.empty() ? "" : " of ", calibration.label));
    }
    add_first(rows, "calibration", most, words);
}

void add_bad(Record& rows, const ScanFile& source) {
    constexpr std::size_t most = 20;
    std::vector<std::string> words;
    for (const auto& [frame, error] : source.bad()) {
        words.push_back(text("frame ", frame, ": ", on_one_line(error.what())));
    }
    add_first(rows, "bad", most, words);
}

Record rows_of_scan(const std::string& path, ReadOptions read) {
    read.bad_frames = true;
    const ScanFile source(path, read);
    Record rows;
    const Scan& scan = source.scan();
    const Sampling& first = *scan.frames.front().sampling;
    rows.emplace_back("file", scan.file);
    rows.emplace_back("format", scan.format);
    rows.emplace_back("SHA-256", scan.sha256());
    add_grid(rows, scan.grid);
    if (scan.voxels) {
        rows.emplace_back("voxels", text(scan.voxels->size(), " positions off the grid"));
    }
    add_place(rows, scan);
    add_frames(rows, scan);
    rows.emplace_back(
        "coils", text(scan.coils(), scan.coil_maps.empty() ? ", without" : ", with", " coil maps"));
    if (!scan.coil_maps.empty()) {
        const SumOfSquares squares = sum_of_squares(scan.coil_maps);
        rows.emplace_back("sum |map|^2",
                          formatted("at most %.4g, mean %.4g over the %zu voxels where it is not 0",
                                    squares.largest, squares.mean, squares.voxels));
    }
    add_trajectory(rows, scan, first);
    rows.emplace_back("phi", first.phi.size() > 0 ? "given" : "not given");
    rows.emplace_back("weights", first.weights.size() > 0 ? "given" : "not given");
    add_off_resonance(rows, scan);
    if (!scan.noise.empty()) {
        rows.emplace_back("noise", text(scan.noise.columns(), " samples per coil"));
    }
    add_calibrations(rows, scan);
    constexpr std::size_t longest = 400; // some headers hold whole protocols
    for (const auto& [name, value] : scan.details) {
        rows.emplace_back(name, printable(value, longest));
    }
    for (const std::string& fact : scan.facts) {
        rows.emplace_back("fact", fact);
    }
    for (const std::string& remark : scan.remarks) {
        rows.emplace_back("note", remark);
    }
    add_bad(rows, source);
    return rows;
}

void append(Record& rows, const Record& more) {
    rows.insert(rows.end(), more.begin(), more.end());
}

void add_dataset(Record& rows, const Hdf5Reader& file, const std::string& dataset) {
    rows.emplace_back("file", file.path());
    rows.emplace_back("/" + dataset, file.shape(dataset).to_string());
}

/// Notes first: they bear on trust.
void add_record(Record& rows, const Record& record) {
    const auto [notes, rest] = notes_and_rest(record);
    for (const std::string& note : notes) {
        rows.emplace_back("note", note);
    }
    append(rows, rest);
}

void add_failures(Record& rows, const std::vector<std::string>& errors) {
    for (std::size_t f = 0; f < errors.size(); ++f) {
        if (!errors[f].empty()) {
            rows.emplace_back(text("failed: frame ", f), errors[f]);
        }
    }
}

void add_image(Record& rows, const Hdf5Reader& file) {
    add_dataset(rows, file, "image");
    const std::vector<ImageFrame> frames = frames_of_image(file);
    rows.emplace_back("frames", frames_in_words(frames));
    const Record record = record_of(file);
    append(rows, solves_in_words(frames, record));
    add_failures(rows, frame_errors(file));
    add_record(rows, record);
}

void add_maps(Record& rows, const Hdf5Reader& file) {
    add_dataset(rows, file, "coil_maps");
    Grid like;
    like.dimensions = file.shape("coil_maps").extents.size() == 4 ? 3 : 2;
    const StoredMaps maps = read_maps(file.path(), like);
    const Record record = record_of(file);
    if (const std::string method = value_in(record, "maps"); !method.empty()) {
        rows.emplace_back("method", method);
    }
    const std::size_t voxels = maps.grid.voxels();
    const std::size_t with_signal = sum_of_squares(maps.maps).voxels;
    rows.emplace_back("coils", text(maps.maps.rows()));
    add_grid(rows, maps.grid);
    rows.emplace_back("signal", text("in ", with_signal, " of ", voxels, " voxels, ",
                                     rounded(100.0 * static_cast<double>(with_signal) /
                                             static_cast<double>(voxels)),
                                     " %"));
    add_record(rows, record);
}

/// Adds an image of another format than this program's own.
void add_image(Record& rows, const ImageFormat& format, const std::string& path) {
    const StoredImage image = format.open(path, {});
    rows.emplace_back("file", path);
    rows.emplace_back("format", format.summary + "; 'lsrecon view' shows it");
    add_grid(rows, image.about.grid);
    rows.emplace_back("values", image.part == ImagePart::complex ? "complex" : "real");
    rows.emplace_back("frames", frames_in_words(image.about.frames));
    for (const std::string& remark : image.remarks) {
        rows.emplace_back("note", remark);
    }
}

/// False when it is no output of the program.
bool add_output(Record& rows, const Hdf5Reader& file) {
    if (!file.has("record")) {
        return false;
    }
    if (file.has("image")) {
        add_image(rows, file);
    } else if (holds_maps_alone(file)) {
        add_maps(rows, file);
    } else if (file.has("fhd") || file.has("q")) {
        add_dataset(rows, file, file.has("fhd") ? "fhd" : "q");
        add_failures(rows, frame_errors(file));
        add_record(rows, record_of(file));
    } else {
        return false;
    }
    return true;
}

bool add_no_scan(Record& rows, const std::string& path) {
    const ImageFormat* const format = other_format_of(path);
    if (format == nullptr || format->kind == FileKind::hdf5) {
        const Hdf5Reader file(path);
        if (add_output(rows, file)) {
            return true;
        }
        if (format == nullptr || !name_of_scan_format(file).empty()) {
            return false; // raw data may lie beside images
        }
    }
    add_image(rows, *format, path);
    return true;
}

/// Values that are numbers are numbers in JSON. What may come again is a list.
nlohmann::json as_json(const Record& rows) {
    const std::set<std::string> lists{"note", "calibration", "bad"};
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, words] : rows) {
        const nlohmann::json number = nlohmann::json::parse(words, nullptr, false);
        const nlohmann::json value = number.is_number() ? number : nlohmann::json(words);
        if (lists.count(name) > 0) {
            json[name].push_back(value);
        } else {
            json[name] = value;
        }
    }
    return json;
}

void print_json(const Record& rows) {
    put_page(page_of(as_json(rows)));
}

ExitCode run_info(Options& options) {
    require_input(options.scan);
    Record rows;
    const bool is_scan =
        byte_format_of(InputFile(options.scan)) != nullptr || !add_no_scan(rows, options.scan);
    if (is_scan) {
        rows = rows_of_scan(options.scan, options.read);
    }
    if (options.json) {
        print_json(rows);
        return ExitCode::done;
    }
    for (const auto& [name, words] : rows) {
        print_line(is_scan ? "%-12s %s" : "%-25s %s", name.c_str(), words.c_str());
    }
    return ExitCode::done;
}

/// Prints the model check of the first usable frame of each place.
void print_model(ScanFile& source, const ComputeOptions& options) {
    Console console(true);
    const auto transforms = open_transforms(options, console);
    PreparedScan prepared(source, PrepareOptions(), *transforms, console);
    ModelCheck model(*transforms, prepared.maps_are_stored());
    for (const Place& place : prepared.places()) {
        if (const std::optional<std::size_t> first = prepared.first_good_of(place)) {
            model.compare(prepared.scan(), place.index, prepared.model_of(place),
                          prepared.frame(*first), console);
        }
    }
    print_line("model: %s", model.in_words().c_str());
}

ExitCode run_check(Options& options) {
    require_input(options.scan);
    ScanFile source(options.scan, options.read);
    for (const std::string& fact : source.scan().facts) {
        print_line("%s", fact.c_str());
    }
    for (const std::string& remark : source.scan().remarks) {
        print_line("note: %s", remark.c_str());
    }
    print_line("%s: ok, SHA-256 %s", source.scan().file.c_str(), source.scan().sha256().c_str());
    if (options.model) {
        require_samples(source.scan());
        print_model(source, options.compute);
    }
    return ExitCode::done;
}

OptionTable options_of_info(Options& options) {
    return joined({scan_options(options.scan, options.read),
                   in("Output", {{"json", toggle(options.json), "print as JSON, by name"}})});
}

OptionTable options_of_check(Options& options) {
    return joined(
        {scan_options(options.scan, options.read),
         in("Measurement", {{"model", toggle(options.model),
                             "compare coil maps, field map and sign of the trajectory with others",
                             "", "The comparison is at low resolution."}}),
         device_options(options.compute)});
}

} // namespace

void print_image_as_json(const std::string& path) {
    Record rows;
    add_image(rows, Hdf5Reader(path));
    print_json(rows);
}

Bound bind_info() {
    return bound(&options_of_info, &run_info);
}

Bound bind_check() {
    return bound(&options_of_check, &run_check);
}

} // namespace lsrecon::app
