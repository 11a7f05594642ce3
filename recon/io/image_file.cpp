#include "io/image_file.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/replacing_file.hpp"
#include "io/hdf5_file.hpp"

namespace lsrecon {

namespace {

struct Axes {
    std::vector<std::size_t> extents;
    std::vector<std::string> names;

    void add(std::size_t extent, const std::string& name) {
        extents.push_back(extent);
        names.push_back(name);
    }
};

void add_space(Axes& axes, const Image& image, std::size_t voxels) {
    if (!image.on_grid) {
        axes.add(voxels, "voxel");
        return;
    }
    if (image.grid.dimensions == 3) {
        axes.add(image.grid.size[2], "z");
    }
    axes.add(image.grid.size[1], "y");
    axes.add(image.grid.size[0], "x");
}

std::vector<double> flat(const std::array<Vec3, 3>& vectors) {
    std::vector<double> result;
    for (const Vec3& vector : vectors) {
        result.insert(result.end(), vector.begin(), vector.end());
    }
    return result;
}

/// Geometry, record and times: what every output of the program carries.
void write_about(Hdf5Writer& file, const std::string& dataset, const Image& image) {
    const Grid& grid = image.grid;
    const auto dimensions = static_cast<std::size_t>(grid.dimensions);
    if (image.on_grid) {
        std::vector<double> voxel;
        for (std::size_t d = 0; d < dimensions; ++d) {
            voxel.push_back(grid.fov_mm[d] / static_cast<double>(grid.size[d]));
        }
        file.attribute(dataset, "voxel_size_mm", voxel);
        file.attribute(
            dataset, "fov_mm",
            std::vector<double>(grid.fov_mm.begin(), grid.fov_mm.begin() + grid.dimensions));
        if (grid.position) {
            file.attribute(dataset, "position",
                           std::vector<double>(grid.position->begin(), grid.position->end()));
        }
        if (grid.directions) {
            file.attribute(dataset, "directions", flat(*grid.directions));
        }
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
    std::vector<double> positions;
    for (const ImageFrame& frame : image.frames) {
        labels.push_back(frame.label);
        if (image.on_grid && frame.position) {
            positions.insert(positions.end(), frame.position->begin(), frame.position->end());
        }
    }
    if (labels.size() > 1) {
        file.texts("frame_labels", {labels.size()}, labels);
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

/// What became of every solve [frame, problem].
void write_endings(Hdf5Writer& file, const Image& image) {
    std::vector<double> iterations;
    std::vector<double> residuals;
    std::vector<std::string> reasons;
    for (const ImageFrame& frame : image.frames) {
        for (std::size_t p = 0; p < frame.stops.size(); ++p) {
            iterations.push_back(static_cast<double>(frame.residuals[p].size() - 1));
            residuals.push_back(frame.residuals[p].back());
            reasons.emplace_back(frame.stops[p] == Stop::tolerance ? "tolerance" : "iterations");
        }
    }
    if (reasons.empty()) {
        return;
    }
    const std::vector<std::size_t> extents{image.frames.size(),
                                           reasons.size() / image.frames.size()};
    file.real("record/iterations_done", extents, iterations.data());
    file.real("record/final_residual", extents, residuals.data());
    file.texts("record/stopped_by", extents, reasons);
}

/// An upper bound of the bytes of all but the values.
std::uint64_t room_about(const Image& image) {
    std::uint64_t of_frame = 512;
    for (const ImageFrame& frame : image.frames) {
        std::uint64_t here = 512 + frame.label.size();
        for (const auto& history : frame.residuals) {
            here += 64 + sizeof(double) * history.size();
        }
        of_frame = std::max(of_frame, here); // all are padded to the longest
    }
    constexpr std::uint64_t of_the_rest = 1 << 20; // record, geometry, HDF5 itself
    return of_the_rest + of_frame * image.frames.size();
}

void write_volumes(const std::string& path, const std::string& name, const Axes& axes,
                   const Image& about, std::size_t parts, const FrameValues& values) {
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path, room_about(about));
    file.complex64(name, axes.extents, parts, values);
    file.attribute(name, "DIMENSION_LABELS", axes.names);
    file.attribute("/", "format", std::string("lsrecon-") + name);
    file.attribute("/", "version", 1L);
    write_about(file, name, about);
    write_frames(file, about);
    write_residuals(file, about);
    write_endings(file, about);
    file.close();
    target.commit();
}

} // namespace

void require_finite_image(double largest) {
    if (!std::isfinite(largest)) {
        throw DeviceError("the result is not finite; nothing is written\n  next:     run 'lsrecon "
                          "check' on the scan and 'lsrecon validate' on this device");
    }
}

void require_an_image(double largest) {
    require_finite_image(largest);
    if (largest == 0) {
        throw DeviceError("the result is zero everywhere; nothing is written\n  next:     run "
                          "'lsrecon check' on the scan and 'lsrecon validate' on this device");
    }
    using Float = std::numeric_limits<float>;
    if (largest < Float::min() || largest > Float::max()) {
        throw ToleranceError(text(
            "the result's largest value is ", largest,
            ", which the file's floats do not hold; nothing is written\n  expected: ", Float::min(),
            " to ", Float::max(),
            "\n  next:     scale the samples or the coil maps by a power of ten, or choose "
            "another --lambda"));
    }
}

void write_image(const std::string& path, const Image& image, std::size_t voxels,
                 const FrameValues& values) {
    Axes axes;
    axes.add(image.frames.size(), "frame");
    add_space(axes, image, voxels);
    write_volumes(path, "image", axes, image, image.frames.size(), values);
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

void write_fhd(const std::string& path, const Image& about, const std::vector<CoilMatrix>& frames) {
    Axes axes;
    if (frames.size() > 1) {
        axes.add(frames.size(), "frame");
    }
    const std::size_t coils = rows(frames.front());
    if (coils > 1) {
        axes.add(coils, "coil");
    }
    add_space(axes, about, columns(frames.front()));
    LargestPart largest;
    for (const CoilMatrix& frame : frames) {
        largest.add(frame);
    }
    require_an_image(largest.value());
    const auto row = [&](std::size_t part) {
        return to_floats(
            frames[part / coils].row(static_cast<Eigen::Index>(part % coils)).transpose());
    };
    write_volumes(path, "fhd", axes, about, frames.size() * coils, row);
}

Hdf5Shape image_shape(const Hdf5Reader& file) {
    if (!file.has("image")) {
        throw InputError({file.path(), "/image", "it is missing", "an image file of lsrecon",
                          "name a file that 'lsrecon recon' or 'simulate --truth' wrote"});
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
