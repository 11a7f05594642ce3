// Reads the image file of lsrecon, frames when they are asked for, and the rest at once.

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/image/file.hpp"
#include "io/native/grid.hpp"

namespace lsrecon {

namespace {

const char* const again = "write the image again, as docs/image.md describes it";

/// The grid of a dataset with some dimensions before those of space.
Grid grid_of(const Hdf5Reader& file, const std::string& dataset,
             const std::vector<std::size_t>& extents, std::size_t before) {
    if (!file.has_attribute(dataset, "fov_mm")) {
        throw InputError(
            {file.path(), full_name(dataset), shown(extents) + " without a field of view",
             "an image on a grid, with the attribute fov_mm", "write the image again"});
    }
    std::vector<double> size(extents.rbegin(), extents.rend());
    size.resize(size.size() - std::min(before, size.size()));
    if (file.has("voxels")) { // of the grid of which they may be
        size = file.attribute_numbers(dataset, "matrix");
    }
    Grid grid;
    for (std::size_t d = 0; d < size.size() && d < 3; ++d) {
        if (!(size[d] >= 1 && size[d] <= static_cast<double>(longest_side))) {
            throw InputError({file.path(), full_name(dataset), shown(size[d]) + " voxels",
                              text("whole numbers from 1 to ", longest_side), again});
        }
        grid.size[d] = static_cast<std::size_t>(size[d]);
    }
    grid.dimensions = static_cast<int>(size.size());
    if (size.size() != 2 && size.size() != 3) {
        throw InputError(
            {file.path(), full_name(dataset), shown(extents), "[frames, (z,) y, x]", again});
    }
    native::read_fov(file, dataset, grid);
    if (grid.dimensions == 2 && file.has_attribute(dataset, "slice_thickness_mm")) {
        const std::string expected = "a length above 0 mm";
        grid.fov_mm[2] =
            native::header_numbers(file, dataset, "slice_thickness_mm", 1, expected)[0];
        if (!(grid.fov_mm[2] > 0)) {
            throw InputError({file.path(), attribute_name(dataset, "slice_thickness_mm"),
                              shown(grid.fov_mm[2]), expected, again});
        }
    }
    native::read_pose(file, dataset, grid);
    return grid;
}

/// The dataset's shape, which must begin with one index a frame.
Hdf5Shape shape_of_frames(const Hdf5Reader& file, const std::string& dataset, std::size_t rank,
                          std::size_t frames) {
    const Hdf5Shape shape = file.shape(dataset);
    if (shape.extents.size() != rank || shape.extents[0] != frames) {
        throw InputError({file.path(), full_name(dataset), shape.to_string(),
                          text(rank, rank == 1 ? " dimension" : " dimensions",
                               ", the first of them for ", counted(frames, "frame")),
                          again});
    }
    return shape;
}

void read_positions(const Hdf5Reader& file, std::vector<ImageFrame>& frames) {
    const Hdf5Shape shape = shape_of_frames(file, "frame_positions", 2, frames.size());
    const std::vector<double> positions = file.read_real("frame_positions");
    const bool finite = std::all_of(positions.begin(), positions.end(),
                                    [](double value) { return std::isfinite(value); });
    if (shape.extents[1] != 3 || !finite) {
        throw InputError({file.path(), "/frame_positions",
                          finite ? shape.to_string() : "numbers that are not finite",
                          "[frames, 3] numbers in mm", again});
    }
    for (std::size_t f = 0; f < frames.size(); ++f) {
        frames[f].position = {positions[3 * f], positions[3 * f + 1], positions[3 * f + 2]};
    }
}

/// Histories end where the NaN begin that fill them up.
void read_residuals(const Hdf5Reader& file, std::vector<ImageFrame>& frames) {
    const Hdf5Shape shape = shape_of_frames(file, "record/residuals", 3, frames.size());
    const std::vector<double> all = file.read_real("record/residuals");
    auto next = all.begin();
    for (ImageFrame& frame : frames) {
        for (std::size_t p = 0; p < shape.extents[1]; ++p) {
            const auto end = next + static_cast<long>(shape.extents[2]);
            frame.residuals.emplace_back(
                next, std::find_if(next, end, [](double value) { return std::isnan(value); }));
            next = end;
        }
    }
}

/// Why each of the solves with a history ended.
void read_stops(const Hdf5Reader& file, std::vector<ImageFrame>& frames) {
    const Hdf5Shape shape = shape_of_frames(file, "record/stopped_by", 2, frames.size());
    const std::vector<std::string> all = file.read_texts("record/stopped_by");
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const std::size_t histories = frames[f].failed() ? 0 : frames[f].residuals.size();
        for (std::size_t p = 0; p < std::min(histories, shape.extents[1]); ++p) {
            frames[f].stops.push_back(
                all[f * shape.extents[1] + p] == "tolerance" ? Stop::tolerance : Stop::iterations);
        }
    }
}

void add_table(const Hdf5Reader& file, const std::string& name,
               const std::vector<std::string>& columns, std::vector<RecordTable>& tables) {
    const std::string dataset = "record/" + name;
    if (!file.has(dataset)) {
        return;
    }
    const Hdf5Shape shape = file.checked_shape(dataset, Hdf5Kind::real);
    if (shape.extents.size() != 2 || shape.extents[1] != columns.size()) {
        throw InputError({file.path(), full_name(dataset), shape.to_string(),
                          text("rows of ", columns.size(), " numbers"), again});
    }
    tables.push_back({name, columns, file.read_real(dataset)});
}

std::vector<RecordTable> tables_of(const Hdf5Reader& file) {
    std::vector<RecordTable> tables;
    add_table(file, lambda_curve_table, lambda_curve_columns(), tables);
    for (const std::string& name : file.names("record")) {
        if (name.rfind(weight_curve_table(""), 0) == 0) {
            add_table(file, name, weight_curve_columns(), tables);
        }
    }
    return tables;
}

std::vector<ImageFrame> frames_of(const Hdf5Reader& file, std::size_t count) {
    std::vector<ImageFrame> frames(count);
    if (file.has("frame_labels")) {
        shape_of_frames(file, "frame_labels", 1, count);
        const std::vector<std::string> labels = file.read_texts("frame_labels");
        for (std::size_t f = 0; f < count; ++f) {
            frames[f].label = labels[f];
        }
    }
    if (file.has("frame_positions")) {
        read_positions(file, frames);
    }
    if (const std::vector<std::string> errors = frame_errors(file); !errors.empty()) {
        shape_of_frames(file, "record/frame_errors", 1, count);
        for (std::size_t f = 0; f < count; ++f) {
            frames[f].error = errors[f];
        }
    }
    if (file.has("record/residuals")) {
        read_residuals(file, frames);
    }
    if (file.has("record/stopped_by")) {
        read_stops(file, frames);
    }
    return frames;
}

/// A map of the noise in place of the image.
void show_map(const std::shared_ptr<const Hdf5Reader>& file, const std::string& dataset,
              StoredImage& image) {
    if (!file->has(dataset)) {
        throw InputError({file->path(), full_name(dataset), "it is missing",
                          "an image that was made with `noise_map`",
                          "leave `map` out, or run 'lsrecon recon' with `noise_map`"});
    }
    const Hdf5Shape shape = file->checked_shape(dataset, Hdf5Kind::real);
    const std::size_t voxels = image.about.voxels ? image.about.voxels->size() : image.voxels();
    if (shape.elements() != voxels) {
        throw InputError({file->path(), full_name(dataset), shape.to_string(),
                          text(voxels, " numbers, one a voxel of /image"), again});
    }
    ImageFrame frame;
    frame.label = dataset;
    for (const ImageFrame& solved : image.about.frames) { // the map is of the first good one
        if (!solved.failed()) {
            frame.position = solved.position;
            if (solved.position) {
                image.about.grid.position = solved.position;
            }
            break;
        }
    }
    image.about.frames = {frame};
    image.about.coils = 1;
    Record& record = image.about.record; // maps of the noise are in the scan's unit
    record.erase(std::remove_if(record.begin(), record.end(),
                                [](const auto& fact) { return fact.first == image_unit; }),
                 record.end());
    image.thing = full_name(dataset);
    image.values = [file, dataset](std::size_t) {
        const std::vector<double> values = file->read_real(dataset);
        file->require_unchanged();
        return ImageValues(values.begin(), values.end());
    };
}

} // namespace

namespace {

/// The axes of /image before those of space: frames, coils that are not combined, or both.
struct AxesBefore {
    explicit AxesBefore(const Hdf5Reader& file) {
        const std::vector<std::size_t> extents = image_shape(file).extents;
        rows = frames = extents.front();
        if (!file.has_attribute("image", coils_attribute)) {
            return;
        }
        coils = static_cast<std::size_t>(
            native::header_numbers(file, "image", coils_attribute, 1, "a number of coils")[0]);
        const std::size_t labels = file.shape("frame_labels").elements();
        if (extents.size() > 1 && labels == rows * extents[1] && coils == extents[1]) {
            frames = labels;
            count = 2;
        }
        if (coils == 0 || frames % coils != 0) {
            throw InputError({file.path(), attribute_name("image", coils_attribute), text(coils),
                              "the extent of the axis of coils", again});
        }
    }
    std::size_t rows; ///< of the first axis
    std::size_t frames; ///< of all of them
    std::size_t coils = 1;
    std::size_t count = 1;
};

/// One of several parts of a row of a dataset; all of it where a dataset has no rows.
ImageValues part_of_row(const Hdf5Reader& file, const std::string& dataset, bool has_rows,
                        std::size_t parts, std::size_t i) {
    const std::vector<Complex> row =
        has_rows ? file.read_complex_row(dataset, i / parts) : file.read_complex(dataset);
    const auto voxels = static_cast<std::ptrdiff_t>(row.size() / parts);
    const auto begin = row.begin() + static_cast<std::ptrdiff_t>(i % parts) * voxels;
    file.require_unchanged(); // values are read twice: to look through and to write
    return ImageValues(begin, begin + voxels);
}

} // namespace

std::vector<ImageFrame> frames_of_image(const Hdf5Reader& file) {
    return frames_of(file, AxesBefore(file).frames);
}

Record record_of(const Hdf5Reader& file) {
    Record record;
    for (const std::string& name : file.attribute_names("record")) {
        record.emplace_back(name, file.attribute_in_words("record", name));
    }
    return record;
}

std::vector<std::string> frame_errors(const Hdf5Reader& file) {
    const char* const name = "record/frame_errors";
    return file.has(name) ? file.read_texts(name) : std::vector<std::string>();
}

StoredImage open_image_file(const std::string& path, const std::string& dataset) {
    return open_image_file(std::make_shared<const Hdf5Reader>(path), dataset);
}

StoredImage open_image_file(const std::shared_ptr<const Hdf5Reader>& file,
                            const std::string& dataset) {
    const std::vector<std::size_t> extents = image_shape(*file).extents;
    StoredImage image;
    image.file = file->path();
    image.thing = "/image";
    const AxesBefore before(*file);
    image.about.grid = grid_of(*file, "image", extents, before.count);
    image.about.frames = frames_of(*file, before.frames);
    image.about.coils = before.coils;
    image.about.tables = tables_of(*file);
    image.about.record = record_of(*file);
    image.values = [file, parts = before.frames / before.rows](std::size_t frame) {
        return part_of_row(*file, "image", true, parts, frame);
    };
    if (file->has("voxels")) {
        image.about.voxels = native::read_voxels(*file, image.about.grid);
        if (extents.size() != before.count + 1 || extents.back() != image.about.voxels->size()) {
            throw InputError({file->path(), "/image", shown(extents),
                              text("[frames, ", image.about.voxels->size(), "], as /voxels has"),
                              again});
        }
    }
    if (dataset != "image") {
        show_map(file, dataset, image);
    }
    image.values = on_grid(image.file, image.about, image.values);
    image.about.voxels.reset();
    return image;
}

StoredImage open_fhd_file(const std::shared_ptr<const Hdf5Reader>& file) {
    const std::vector<std::size_t> extents = file->checked_shape("fhd", Hdf5Kind::complex).extents;
    if (file->has("voxels") || !file->has_attribute("fhd", "fov_mm")) {
        throw InputError({file->path(), "/fhd", shown(extents) + " at listed voxels",
                          "F^H d on a grid", "run 'lsrecon fhd' on a scan without /voxels"});
    }
    const std::size_t space = file->attribute_numbers("fhd", "fov_mm").size();
    const std::size_t before = extents.size() - std::min(space, extents.size());
    std::size_t count = 1;
    for (std::size_t d = 0; d < before; ++d) {
        count *= extents[d];
    }
    const std::size_t frames =
        file->has("frame_labels") ? file->shape("frame_labels").extents.front() : 1;
    const std::size_t coils = count / std::max<std::size_t>(1, frames);
    if (count == 0 || coils * frames != count) {
        throw InputError({file->path(), "/fhd", shown(extents),
                          text("[", frames, " frames,] [coils,] (z,) y, x"), again});
    }
    StoredImage image;
    image.file = file->path();
    image.thing = "/fhd";
    image.about.grid = grid_of(*file, "fhd", extents, before);
    image.about.record = record_of(*file);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string frame = frames > 1 ? text("frame ", i / coils) : "";
        const std::string coil = coils > 1 ? text("coil ", i % coils) : "";
        image.about.frames.emplace_back();
        image.about.frames.back().label =
            frame + (frame.empty() || coil.empty() ? "" : ", ") + coil;
    }
    const std::size_t rows = before > 0 ? extents[0] : 1;
    image.values = [file, before, per_row = count / rows](std::size_t i) {
        return part_of_row(*file, "fhd", before > 0, per_row, i);
    };
    return image;
}

} // namespace lsrecon
