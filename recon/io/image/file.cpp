// Writes the image file of lsrecon: values, geometry, record, histories of the solver and noise
// maps in HDF5.

#include "io/image/file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "io/formats.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "io/image/stored.hpp"
#include "io/native/scan.hpp"
#include "io/record.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

/// The dimensions of a dataset and their names, slowest first.
struct ImageAxes {
    std::vector<std::size_t> extents;
    std::vector<std::string> names;

    void add(std::size_t extent, const std::string& name) {
        extents.push_back(extent);
        names.push_back(name);
    }
    /// (z,) y, x of a grid, or the voxels of a list.
    void add_space(const Image& image, std::size_t voxels) {
        if (image.voxels) {
            return add(voxels, "voxel");
        }
        if (image.grid.dimensions == 3) {
            add(image.grid.size[2], "z");
        }
        add(image.grid.size[1], "y");
        add(image.grid.size[0], "x");
    }
};

void write_geometry_and_record(Hdf5Writer& file, const std::string& dataset, const Image& image) {
    const Grid& grid = image.grid;
    const int dimensions = grid.dimensions;
    std::vector<double> voxel;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        voxel.push_back(grid.fov_mm[d] / static_cast<double>(grid.size[d]));
    }
    file.attribute(dataset, "voxel_size_mm", voxel);
    write_pose(file, dataset, grid);
    if (dimensions == 2 && !has_no_thickness(grid)) {
        file.attribute(dataset, "slice_thickness_mm", std::vector<double>{grid.fov_mm[2]});
    }
    if (image.coils > 1) {
        file.attribute(dataset, coils_attribute,
                       std::vector<double>{static_cast<double>(image.coils)});
    }
    if (image.voxels) { // and the grid that they may belong to
        write_voxels(file, grid, *image.voxels);
        file.attribute(dataset, "matrix",
                       std::vector<double>(grid.size.begin(), grid.size.begin() + dimensions));
    }
    write_record(file, image.record);
    if (const std::string unit = value_in(image.record, image_unit); !unit.empty()) {
        file.attribute(dataset, "units", unit);
    }
    for (const auto& [name, value] : image.numbers) {
        file.attribute("record", name, std::vector<double>{value});
    }
    for (const auto& [stage, seconds] : image.stage_seconds) {
        file.attribute("record", "seconds_" + stage, std::vector<double>{seconds});
    }
}

/// Writes one value of every frame: datasets, because there may be thousands.
void write_frames(Hdf5Writer& file, const Image& image) {
    std::vector<std::string> labels;
    std::vector<std::string> errors;
    std::vector<double> positions;
    for (const ImageFrame& frame : image.frames) {
        labels.push_back(frame.label);
        errors.push_back(frame.error);
        if (frame.position) {
            positions.insert(positions.end(), frame.position->begin(), frame.position->end());
        }
    }
    if (labels.size() > 1 || !labels.front().empty()) {
        file.texts("frame_labels", {labels.size()}, labels);
    }
    if (!failed_among(image.frames).empty()) {
        file.texts("record/frame_errors", {errors.size()}, errors);
    }
    if (!positions.empty() && positions.size() == 3 * image.frames.size()) {
        file.real("frame_positions", {image.frames.size(), 3}, positions.data());
        file.attribute("frame_positions", "units", std::string("mm"));
    }
}

/// Relative residuals [frame, problem, iteration], padded with NaN after the last iteration.
void write_residuals(Hdf5Writer& file, const Image& image) {
    std::size_t problems = 0;
    std::size_t length = 0;
    for (const ImageFrame& frame : image.frames) {
        problems = std::max(problems, frame.residuals.size());
        for (const auto& history : frame.residuals) {
            length = std::max(length, history.size());
        }
    }
    if (problems == 0) {
        return;
    }
    std::vector<double> padded(image.frames.size() * problems * length,
                               std::numeric_limits<double>::quiet_NaN());
    for (std::size_t f = 0; f < image.frames.size(); ++f) {
        const auto& histories = image.frames[f].residuals;
        for (std::size_t p = 0; p < histories.size(); ++p) {
            std::copy(histories[p].begin(), histories[p].end(),
                      padded.begin() + static_cast<long>((f * problems + p) * length));
        }
    }
    file.real("record/residuals", {image.frames.size(), problems, length}, padded.data());
    file.attribute("record/residuals", "DIMENSION_LABELS",
                   std::vector<std::string>{"frame", "problem", "iteration"});
}

/// Writes the ends of all solves [frame, problem]; NaN and "failed" of frames that failed.
void write_endings(Hdf5Writer& file, const Image& image) {
    std::size_t problems = 0;
    for (const ImageFrame& frame : image.frames) {
        problems = std::max(problems, frame.stops.size());
    }
    if (problems == 0) {
        return;
    }
    const std::vector<std::size_t> extents{image.frames.size(), problems};
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> iterations(product_of(extents), none);
    std::vector<double> residuals(product_of(extents), none);
    std::vector<std::string> reasons(product_of(extents), "failed");
    for (std::size_t f = 0; f < image.frames.size(); ++f) {
        const ImageFrame& frame = image.frames[f];
        for (std::size_t p = 0; p < frame.stops.size(); ++p) {
            iterations[f * problems + p] = static_cast<double>(frame.residuals[p].size() - 1);
            residuals[f * problems + p] = frame.residuals[p].back();
            reasons[f * problems + p] =
                frame.stops[p] == Stop::tolerance ? "tolerance" : "iterations";
        }
    }
    file.real("record/iterations_done", extents, iterations.data());
    file.real("record/final_residual", extents, residuals.data());
    file.texts("record/stopped_by", extents, reasons);
}

void write_tables(Hdf5Writer& file, const Image& image) {
    for (const RecordTable& table : image.tables) {
        const std::string dataset = "record/" + table.name;
        file.real(dataset, {table.values.size() / table.columns.size(), table.columns.size()},
                  table.values.data());
        file.attribute(dataset, "columns", table.columns);
    }
}

/// Writes the maps that have a real number a voxel.
void write_maps(Hdf5Writer& file, const Image& image) {
    for (const auto& [name, map] :
         {std::pair("noise_map", &image.noise_map), std::pair("g_factor", &image.g_factor)}) {
        if (map->size() > 0) {
            ImageAxes axes;
            axes.add_space(image, static_cast<std::size_t>(map->size()));
            file.real(name, axes.extents, map->data(), Precision::float32);
            file.attribute(name, "DIMENSION_LABELS", axes.names);
        }
    }
    if (image.g_factor.size() > 0) {
        file.attribute("g_factor", "definition",
                       "SNR_full / (SNR sqrt(R)) of the image without regularisation");
    }
}

/// An upper bound of the bytes of what a file says of an image.
std::uint64_t room_about(const Image& image) {
    std::uint64_t of_frame = 512;
    for (const ImageFrame& frame : image.frames) {
        std::uint64_t bytes = 512 + frame.label.size() + frame.error.size();
        for (const auto& history : frame.residuals) {
            bytes += 64 + sizeof(double) * history.size();
        }
        of_frame = std::max(of_frame, bytes); // all are padded to the longest
    }
    constexpr std::uint64_t of_the_rest = 1 << 20; // record, geometry, HDF5 itself
    const auto of_maps = static_cast<std::uint64_t>(image.noise_map.size() + image.g_factor.size());
    const std::uint64_t of_voxels = image.voxels ? sizeof(Vec3) * image.voxels->size() : 0;
    return of_the_rest + of_voxels + sizeof(float) * of_maps + of_frame * image.frames.size();
}

/// Writes the description of the volumes of an image (docs/image.md): geometry as attributes of
/// `dataset`, the record, times, the labels and positions of frames, the solver's histories, which
/// frames failed, maps of the noise.
void write_about(Hdf5Writer& file, const std::string& dataset, const Image& image) {
    write_geometry_and_record(file, dataset, image);
    write_maps(file, image);
    write_frames(file, image);
    write_residuals(file, image);
    write_endings(file, image);
    write_tables(file, image);
}

void write_volumes(const std::string& path, const std::string& name, const ImageAxes& axes,
                   const Image& about, Precision precision, const PartValues& values) {
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path, room_about(about));
    file.later(name, axes.extents,
               precision == Precision::float64 ? Hdf5Element::complex128 : Hdf5Element::complex64,
               about.frames.size(), values);
    file.attribute(name, "DIMENSION_LABELS", axes.names);
    file.attribute("/", "format", std::string("lsrecon-") + name);
    file.attribute("/", "version", 1L);
    write_about(file, name, about);
    file.close();
    target.commit();
}

} // namespace

void write_image(const std::string& path, const Image& image, std::size_t voxels,
                 const FrameValues& values) {
    ImageAxes axes;
    const std::size_t frames = image.frames.size() / image.coils;
    if (frames > 1 || image.coils == 1) {
        axes.add(frames, "frame");
    }
    if (image.coils > 1) {
        axes.add(image.coils, "coil");
    }
    axes.add_space(image, voxels);
    write_volumes(path, "image", axes, image, Precision::float32,
                  [&](std::size_t frame, const TakeBytes& take) {
                      const ImageValues floats = values(frame);
                      take(floats.data(), floats.size() * sizeof(floats.front()));
                  });
}

void write_image(const std::string& path, const Image& image) {
    LargestPart largest;
    for (const ImageFrame& frame : image.frames) {
        largest.add(frame.values);
    }
    require_an_image(largest.value());
    write_image(path, image, static_cast<std::size_t>(image.frames.front().values.size()),
                values_of(image));
}

Record record_in_words(const Image& image) {
    Record record = image.record;
    for (const auto& [name, value] : image.numbers) {
        record.emplace_back(name, shown(value));
    }
    for (const auto& [stage, seconds] : image.stage_seconds) {
        record.emplace_back("seconds_" + stage, shown(seconds));
    }
    return record;
}

void write_fhd(const std::string& path, const Image& about, std::size_t coils, std::size_t voxels,
               Precision precision, const PartValues& values) {
    ImageAxes axes;
    if (about.frames.size() > 1) {
        axes.add(about.frames.size(), "frame");
    }
    if (coils > 1) {
        axes.add(coils, "coil");
    }
    axes.add_space(about, voxels);
    write_volumes(path, "fhd", axes, about, precision, values);
}

Hdf5Shape image_shape(const Hdf5Reader& file) {
    if (!file.has("image")) {
        const std::string scan = name_of_scan_format(file);
        throw InputError({file.path(), "/image",
                          scan.empty() ? "it is missing" : "it is missing: the file is " + scan,
                          "an image file of lsrecon",
                          scan.empty()
                              ? "name a file that 'lsrecon recon' or 'simulate `truth`' wrote"
                              : "make an image of the scan: lsrecon recon " +
                                    shell_word(file.path()) + " -o IMAGE.h5"});
    }
    if (file.has("record/residuals")) {
        const Hdf5Shape shape = file.shape("record/residuals");
        if (shape.extents.size() != 3) {
            throw InputError({file.path(), "/record/residuals", shape.to_string(),
                              "real numbers [frames, problems, iterations + 1]",
                              "write the image again"});
        }
    }
    return file.checked_shape("image", Hdf5Kind::complex);
}

ImageData read_image(const std::string& path) {
    const Hdf5Reader file(path);
    const std::vector<std::size_t> extents = image_shape(file).extents;
    std::vector<double> residuals;
    if (file.has("record/residuals")) {
        residuals = file.read_real("record/residuals");
        residuals.resize(file.shape("record/residuals").extents.back()); // of the first problem
        residuals.erase(std::find_if(residuals.begin(), residuals.end(),
                                     [](double value) { return std::isnan(value); }),
                        residuals.end());
    }
    return {extents, file.read_complex("image"), residuals};
}

} // namespace lsrecon
