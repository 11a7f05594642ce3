// Gathers what a page shows of an image: its volumes, residuals, curves, findings and record.

#include <cstdlib>
#include <memory>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/file.hpp"
#include "io/image/formats.hpp"
#include "io/image/stored.hpp"
#include "io/maps_file.hpp"
#include "io/page/page.hpp"
#include "io/record.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

using Json = nlohmann::json;
using Reader = std::shared_ptr<const Hdf5Reader>;
using Mood = PageFact::Mood;

StoredImage checked(const StoredImage& image) {
    require_sound_values(image);
    return image;
}

Findings failures_of(const StoredImage& image) {
    constexpr std::size_t most = 20;
    const std::vector<std::size_t> failed = failed_among(image.about.frames);
    if (failed.empty()) {
        return {};
    }
    Findings findings{
        {Found::frames_crossed_out, {}, {{"failed", list_of_failures(failed, image.frames())}}}};
    for (std::size_t i = 0; i < failed.size() && i < most; ++i) {
        findings.push_back({Found::frame_unusable,
                            {{"frame", failed[i]}},
                            {{"error", image.about.frames[failed[i]].error}}});
    }
    return findings;
}

/// The residuals of the first solves.
void add_residuals(Json& panels, const std::vector<ImageFrame>& frames) {
    constexpr std::size_t most_curves = 40;
    std::size_t solves = 0;
    Json curves = Json::array();
    for (const ImageFrame& frame : frames) {
        for (const auto& curve : frame.residuals) {
            if (++solves <= most_curves) {
                curves.push_back(curve);
            }
        }
    }
    if (solves > 0) {
        panels["residuals"] = {{"curves", curves}, {"solves", solves}};
    }
}

/// The rows of a table, each with its columns by name.
Json rows_of(const RecordTable& table) {
    Json rows = Json::array();
    const std::size_t columns = table.columns.size();
    for (std::size_t at = 0; at < table.values.size(); at += columns) {
        Json row;
        for (std::size_t c = 0; c < columns; ++c) {
            row[table.columns[c]] = table.values[at + c];
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// The tables of the record: what is unexplained of parts, and the curves by which a rule has
/// chosen lambda, or the weight of a regulariser.
void add_tables(Json& panels, const Image& about) {
    const std::string chosen = value_in(about.record, "lambda");
    const std::string of_weights = weight_curve_table("");
    Json weights = Json::array();
    for (const RecordTable& table : about.tables) {
        Json rows = rows_of(table);
        if (table.name == unexplained_table("readout") || table.name == unexplained_table("coil")) {
            panels[table.columns[1] + "s"] = std::move(rows);
        } else if (table.name == lambda_curve_table) {
            for (Json& row : rows) {
                row["chosen"] = text(row["lambda"].get<double>()) == chosen;
            }
            panels["lambda"] = {{"rule", value_in(about.record, "lambda_rule")},
                                {"points", std::move(rows)}};
        } else {
            weights.push_back(
                {{"name", table.name.substr(of_weights.size())}, {"points", std::move(rows)}});
        }
    }
    if (!weights.empty()) {
        const bool by_lambda = value_in(about.record, "lambda_rule") == held_out_rule;
        panels["weights"] = {
            {"chosen", by_lambda ? "lambda:" + chosen : value_in(about.record, "regularisers")},
            {"curves", weights}};
    }
}

double number_in(const Record& record, const std::string& name) {
    return std::strtod(value_in(record, name).c_str(), nullptr);
}

PageFact convergence(const Record& record, const Record& solves) {
    if (solves.empty()) {
        return {value_in(record, "method") + ", nothing was solved"};
    }
    const std::string ended = value_in(record, "converged");
    const std::string done = value_in(solves, "iterations done"); // "24 (at most 300)"
    const std::string iterations = done.substr(0, done.find(" (")) + " iterations";
    const std::string by = value_in(solves, "stopped by");
    if (ended.empty()) { // an earlier version
        return {iterations + ", stopped by " + by};
    }
    if (ended == "1") {
        return {(by == "the tolerance" ? "converged, " : "ended as meant, ") + iterations,
                Mood::good};
    }
    const bool is_requested = !value_in(record, name_of_option("iterations")).empty();
    return is_requested ? PageFact{iterations + ", as many as asked for"}
                        : PageFact{"not converged, " + iterations, Mood::bad};
}

/// What the image leaves unexplained of the samples, beside the noise.
PageFact unexplained(const Record& record) {
    const double share = number_in(record, "unexplained");
    const double times = number_in(record, "unexplained_over_noise");
    const double most = number_in(record, "noise_at_most");
    const std::string words = rounded(100 * share) + " % unexplained";
    if (times > 0) {
        return {words + ", " + rounded(times) + " times the noise"};
    }
    return {words +
            (most > 0 ? text(", noise at most ", rounded(100 * most), " %") : ", noise unknown")};
}

PageFact regularisation(const Record& record) {
    const std::string weights = value_in(record, "regularisers");
    const std::string by_weights = value_in(record, "weight_rule");
    const std::string rule = value_in(record, "lambda_rule");
    std::string words = weights.empty()      ? ""
                        : by_weights.empty() ? weights
                                             : weights + ", chosen by samples " + by_weights;
    if (number_in(record, "lambda") > 0 || words.empty()) {
        words = "lambda " + value_in(record, "lambda") +
                (rule == held_out_rule ? ", chosen by samples " + rule
                 : !rule.empty()       ? ", chosen by " + rule
                 : value_in(record, name_of_option("lambda")).empty() ? ", by default"
                                                                      : ", as given") +
                (words.empty() ? "" : "; " + words);
    }
    return {words};
}

std::vector<PageFact> headline(const Record& record, const Record& solves, std::size_t notes) {
    if (value_in(record, "method").empty()) { // another program's
        return {};
    }
    std::vector<PageFact> facts{convergence(record, solves)};
    if (!value_in(record, "unexplained").empty()) {
        facts.push_back(unexplained(record));
    }
    if (!solves.empty()) {
        facts.push_back(regularisation(record));
    }
    facts.push_back(notes == 0 ? PageFact{"no warning", Mood::good}
                               : PageFact{counted(notes, "warning") + " below", Mood::bad});
    double seconds = 0;
    for (const auto& [name, value] : record) {
        seconds += name.rfind("seconds_", 0) == 0 ? std::strtod(value.c_str(), nullptr) : 0;
    }
    facts.push_back({"time " + rounded(seconds) + " s"});
    return facts;
}

/// Adds what a file of this program holds; gives back the image without its values.
Image add_sets_of(const Reader& file, PageContent& content, Findings& findings) {
    Image about;
    if (file->has("image") || file->has("fhd")) {
        const StoredImage image = checked(format_of_input(file->path()).open(file->path(), {}));
        about = image.about;
        findings = failures_of(image);
        content.sets.push_back({"image", in_volumes(image)});
    }
    if (file->has("coil_maps")) {
        add_maps(content, file->path());
    }
    for (const auto& [dataset, name] :
         {std::pair("noise_map", "noise map"), std::pair("g_factor", "g-factor")}) {
        if (file->has(dataset)) {
            content.sets.push_back(
                {name, checked(open_image_file(file, dataset)), PageColours::scale});
        }
    }
    if (content.sets.empty()) {
        throw InputError(
            {file->path(), "file",
             "an HDF5 file with none of /image, /fhd, /coil_maps, /noise_map, /g_factor",
             "a scan, an image or coil maps", "name a file that 'lsrecon recon' wrote"});
    }
    if (about.record.empty()) {
        about.record = record_of(*file);
    }
    return about;
}

} // namespace

void add_maps(PageContent& content, const std::string& path) {
    PageSet maps{"coil maps", checked(open_maps_as_image(path))};
    if (!content.sets.empty() &&
        content.sets[0].volumes.about.grid.same_lattice(maps.volumes.about.grid)) {
        maps.volumes.about.grid = content.sets[0].volumes.about.grid;
    }
    content.sets.push_back(std::move(maps));
}

PageContent page_of_image(const std::string& path, Reporter& report) {
    const ImageFormat& format = format_of_input(path);
    PageContent content{path, {}};
    Image about;
    Findings findings;
    if (format.name == image_file_format) {
        about = add_sets_of(std::make_shared<const Hdf5Reader>(path), content, findings);
    } else {
        const StoredImage image = checked(format.open(path, {}));
        findings = image.findings;
        content.sets.push_back({"image", in_volumes(image)});
    }
    report.add(findings);
    const Record solves = solves_in_words(about.frames, about.record);
    const auto [recorded, rest] = notes_and_rest(about.record);
    for (const std::vector<Note>& notes : {notes_of(findings), recorded}) {
        for (const Note& note : notes) {
            content.notes.push_back(note.words);
        }
    }
    content.headline = headline(about.record, solves, content.notes.size());
    add_tables(content.panels, about);
    add_residuals(content.panels, about.frames);
    content.tables = {{"solves", solves}, {"record", rest}};
    return content;
}

} // namespace lsrecon
