// info of what the program itself wrote.

#include "app/info_parts.hpp"
#include "app/output.hpp"
#include "base/numbers.hpp"
#include "io/formats.hpp"
#include "io/image/formats.hpp"
#include "io/image/reader.hpp"
#include "io/maps_file.hpp"
#include "io/record.hpp"
#include "io/solves_in_words.hpp"
#include "scan/failed_frames.hpp"
#include "scan/scan.hpp"

namespace lsrecon::app {

namespace {

void print_row(const std::string& name, const std::string& words) {
    print_line("%-25s %s", name.c_str(), words.c_str());
}

void print_dataset(const Hdf5Reader& file, const std::string& dataset) {
    print_row("file", file.path());
    print_row("/" + dataset, file.shape(dataset).to_string());
}

void print_rows(const Record& rows) {
    for (const auto& [name, words] : rows) {
        print_row(name, words);
    }
}

/// Notes first: they bear on trust.
void print_record(const Record& record) {
    const auto [notes, rest] = notes_and_rest(record);
    for (const std::string& note : notes) {
        print_row("note", note);
    }
    print_rows(rest);
}

void print_failures(const std::vector<std::string>& errors) {
    for (std::size_t f = 0; f < errors.size(); ++f) {
        if (!errors[f].empty()) {
            print_row(text("failed: frame ", f), errors[f]);
        }
    }
}

void print_frames(const std::vector<ImageFrame>& frames) {
    std::vector<std::string> labels;
    for (const ImageFrame& frame : frames) {
        labels.push_back(label_beside_index(frame.label, labels.size()));
    }
    print_row("frames", frames_in_words(labels));
}

void print_image(const Hdf5Reader& file) {
    print_dataset(file, "image");
    const std::vector<ImageFrame> frames = frames_of_image(file);
    print_frames(frames);
    const Record record = record_of(file);
    print_rows(solves_in_words(frames, record));
    print_failures(frame_errors(file));
    print_record(record);
}

void print_maps(const Hdf5Reader& file) {
    print_dataset(file, "coil_maps");
    Grid like;
    like.dimensions = file.shape("coil_maps").extents.size() == 4 ? 3 : 2;
    const StoredMaps maps = read_maps(file.path(), like);
    const Record record = record_of(file);
    if (const std::string method = value_in(record, "maps"); !method.empty()) {
        print_row("method", method);
    }
    const std::size_t voxels = maps.grid.voxels();
    const std::size_t with_signal = sum_of_squares(maps.maps).voxels;
    print_row("coils", text(maps.maps.rows()));
    print_row("matrix", by(maps.grid.size, maps.grid.dimensions) + " voxels");
    print_row("fov", by(maps.grid.fov_mm, maps.grid.dimensions) + " mm");
    print_row("signal",
              text("in ", with_signal, " of ", voxels, " voxels, ",
                   rounded(100.0 * static_cast<double>(with_signal) / static_cast<double>(voxels)),
                   " %"));
    print_record(record);
}

} // namespace

std::string frames_in_words(const std::vector<std::string>& labels) {
    constexpr std::size_t first = 3;
    std::string words = text(labels.size());
    if (labels.front().empty()) {
        return words;
    }
    for (std::size_t f = 0; f < labels.size(); ++f) {
        if (f < first || f + 1 == labels.size()) {
            words += (f == 0 ? ": " : "; ") + labels[f];
        } else if (f == first) {
            words += "; ...";
        }
    }
    return words;
}

namespace {

/// Of another format than this program's own.
void print_image(const ImageFormat& format, const std::string& path) {
    const StoredImage image = format.open(path, {});
    const Grid& grid = image.about.grid;
    print_row("file", path);
    print_row("format", format.summary + "; 'lsrecon view' shows it");
    print_row("matrix", by(grid.size, grid.dimensions) + " voxels");
    print_row("fov", by(grid.fov_mm, grid.dimensions) + " mm");
    print_row("values", image.part == ImagePart::complex ? "complex" : "real");
    print_frames(image.about.frames);
    for (const std::string& remark : image.remarks) {
        print_row("note", remark);
    }
}

/// False when it is no output of the program.
bool print_output(const Hdf5Reader& file) {
    if (!file.has("record")) {
        return false;
    }
    if (file.has("image")) {
        print_image(file);
    } else if (file.has_attribute("/", "format") &&
               file.attribute_text("/", "format") == "lsrecon-maps") {
        print_maps(file);
    } else if (file.has("fhd") || file.has("q")) {
        print_dataset(file, file.has("fhd") ? "fhd" : "q");
        print_failures(frame_errors(file));
        print_record(record_of(file));
    } else {
        return false;
    }
    return true;
}

} // namespace

bool print_no_scan(const std::string& path) {
    const ImageFormat* const format = other_format_of(path);
    if (format == nullptr || format->kind == FileKind::hdf5) {
        const Hdf5Reader file(path);
        if (print_output(file)) {
            return true;
        }
        if (format == nullptr || !name_of_scan_format(file).empty()) {
            return false; // raw data may lie beside images
        }
    }
    print_image(*format, path);
    return true;
}

} // namespace lsrecon::app
