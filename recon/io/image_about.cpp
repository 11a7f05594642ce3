#include "io/image_about.hpp"

#include <algorithm>
#include <limits>

#include "io/stored_image.hpp"
#include "scan/failed_frames.hpp"

namespace lsrecon {

namespace {

std::vector<double> flat(const std::array<Vec3, 3>& vectors) {
    std::vector<double> result;
    for (const Vec3& vector : vectors) {
        result.insert(result.end(), vector.begin(), vector.end());
    }
    return result;
}

/// Where the values of listed voxels lie, and of which grid they may be.
void write_voxels(Hdf5Writer& file, const std::string& dataset, const Grid& grid,
                  const std::vector<Vec3>& voxels) {
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    std::vector<double> positions;
    for (const Vec3& x : voxels) {
        positions.insert(positions.end(), x.begin(), x.begin() + grid.dimensions);
    }
    file.real("voxels", {voxels.size(), dimensions}, positions.data());
    file.attribute(dataset, "matrix",
                   std::vector<double>(grid.size.begin(), grid.size.begin() + grid.dimensions));
}

void write_geometry_and_record(Hdf5Writer& file, const std::string& dataset, const Image& image) {
    const Grid& grid = image.grid;
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    std::vector<double> voxel;
    for (std::size_t d = 0; d < dimensions; ++d) {
        voxel.push_back(grid.fov_mm[d] / static_cast<double>(grid.size[d]));
    }
    file.attribute(dataset, "voxel_size_mm", voxel);
    file.attribute(dataset, "fov_mm",
                   std::vector<double>(grid.fov_mm.begin(), grid.fov_mm.begin() + grid.dimensions));
    if (dimensions == 2 && !has_no_thickness(grid)) {
        file.attribute(dataset, "slice_thickness_mm", std::vector<double>{grid.fov_mm[2]});
    }
    if (grid.position) {
        file.attribute(dataset, "position",
                       std::vector<double>(grid.position->begin(), grid.position->end()));
    }
    if (grid.directions) {
        file.attribute(dataset, "directions", flat(*grid.directions));
    }
    if (image.voxels) {
        write_voxels(file, dataset, grid, *image.voxels);
    }
    file.group("record");
    for (const auto& [name, value] : image.record) {
        file.attribute("record", name, value);
    }
    for (const auto& [name, value] : image.numbers) {
        file.attribute("record", name, std::vector<double>{value});
    }
    for (const auto& [stage, seconds] : image.stage_seconds) {
        file.attribute("record", "seconds_" + stage, std::vector<double>{seconds});
    }
}

/// What every frame has one of: datasets, because there may be thousands.
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

/// What became of every solve [frame, problem]; NaN and "failed" of frames that failed.
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

/// Of a real number a voxel.
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

} // namespace

void ImageAxes::add(std::size_t extent, const std::string& name) {
    extents.push_back(extent);
    names.push_back(name);
}

void ImageAxes::add_space(const Image& image, std::size_t voxels) {
    if (image.voxels) {
        add(voxels, "voxel");
        return;
    }
    if (image.grid.dimensions == 3) {
        add(image.grid.size[2], "z");
    }
    add(image.grid.size[1], "y");
    add(image.grid.size[0], "x");
}

std::uint64_t room_about(const Image& image) {
    std::uint64_t of_frame = 512;
    for (const ImageFrame& frame : image.frames) {
        std::uint64_t here = 512 + frame.label.size() + frame.error.size();
        for (const auto& history : frame.residuals) {
            here += 64 + sizeof(double) * history.size();
        }
        of_frame = std::max(of_frame, here); // all are padded to the longest
    }
    constexpr std::uint64_t of_the_rest = 1 << 20; // record, geometry, HDF5 itself
    const auto of_maps = static_cast<std::uint64_t>(image.noise_map.size() + image.g_factor.size());
    const std::uint64_t of_voxels = image.voxels ? sizeof(Vec3) * image.voxels->size() : 0;
    return of_the_rest + of_voxels + sizeof(float) * of_maps + of_frame * image.frames.size();
}

void write_about(Hdf5Writer& file, const std::string& dataset, const Image& image) {
    write_geometry_and_record(file, dataset, image);
    write_maps(file, image);
    write_frames(file, image);
    write_residuals(file, image);
    write_endings(file, image);
    write_tables(file, image);
}

} // namespace lsrecon
