// Images of any format: their parts, frames and slices, and stacks of parallel slices as volumes.

#include "io/image/stored.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/failed_frames.hpp"
#include "scan/host_memory.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

/// The distance in voxels from the centre of the grid to the centre of voxel `index`.
double steps_from_centre(std::size_t index, std::size_t size) {
    return static_cast<double>(index) - static_cast<double>(size / 2);
}

Vec3 moved(const Vec3& from, const Vec3& direction, double mm) {
    return {from[0] + mm * direction[0], from[1] + mm * direction[1], from[2] + mm * direction[2]};
}

struct StackedSlice {
    Vec3 position;
    double along_normal;
    std::vector<std::size_t> frames;
};

/// Frames at one position are one slice.
std::vector<StackedSlice> slices_of(const StoredImage& image) {
    std::vector<StackedSlice> slices;
    const auto& directions = image.about.grid.directions;
    for (std::size_t f = 0; f < image.frames(); ++f) {
        const Vec3& position = *image.about.frames[f].position;
        auto known = std::find_if(slices.begin(), slices.end(), [&](const StackedSlice& slice) {
            return are_same_position(slice.position, position);
        });
        if (known == slices.end()) {
            const double along = directions ? dot(position, (*directions)[2]) : 0;
            known = slices.insert(known, {position, along, {}});
        }
        known->frames.push_back(f);
    }
    return slices;
}

/// The mean spacing in mm of slices in order: errors of rounding do not add up over many.
double mean_spacing(const std::vector<StackedSlice>& slices) {
    return (slices.back().along_normal - slices.front().along_normal) /
           static_cast<double>(slices.size() - 1);
}

/// The label without the counter of slices: "slice 2, repetition 3" is "repetition 3".
std::string without_slice(const std::string& label) {
    const std::size_t at = label.find("slice ");
    if (at == std::string::npos) {
        return label;
    }
    const std::size_t end = label.find(", ", at);
    return end == std::string::npos ? label.substr(0, at < 2 ? 0 : at - 2)
                                    : label.substr(0, at) + label.substr(end + 2);
}

/// Why the frames are no parallel slices at even distances; "" where they are.
std::string what_is_wrong(const StoredImage& image, const std::vector<StackedSlice>& slices) {
    const Grid& grid = image.about.grid;
    if (grid.dimensions == 3) {
        return text("volumes at ", slices.size(), " positions");
    }
    if (!grid.directions) {
        return text("frames at ", slices.size(), " positions, without directions");
    }
    const StackedSlice& first = slices.front();
    const double spacing = mean_spacing(slices);
    for (std::size_t s = 1; s < slices.size(); ++s) {
        const StackedSlice& slice = slices[s];
        const double along = spacing * static_cast<double>(s);
        Vec3 expected = first.position;
        for (std::size_t d = 0; d < 3; ++d) {
            expected[d] += along * (*grid.directions)[2][d];
        }
        if (!(spacing > same_position_mm) ||
            distance(expected, slice.position) > 2 * same_position_mm) {
            return text("frames ", first.frames[0], " and ", slice.frames[0],
                        " are not slices at even distances");
        }
    }
    return "";
}

/// Gives each slice the frames of the one that has most, by their labels: none where it lacks one.
/// Why that cannot be; "" where it can.
std::string align_frames(const StoredImage& image, std::vector<StackedSlice>& slices) {
    const auto label_of = [&](std::size_t frame) {
        return without_slice(image.about.frames[frame].label);
    };
    const StackedSlice most =
        *std::max_element(slices.begin(), slices.end(), [](const auto& a, const auto& b) {
            return a.frames.size() < b.frames.size();
        });
    for (StackedSlice& slice : slices) {
        const std::vector<std::size_t> own = std::exchange(slice.frames, {});
        std::size_t next = 0;
        for (const std::size_t frame : most.frames) {
            const bool has = next < own.size() && label_of(own[next]) == label_of(frame);
            slice.frames.push_back(has ? own[next++] : SliceStack::none);
        }
        if (next < own.size()) {
            return text("slices of different frames: \"",
                        image.about.frames[most.frames[next]].label, "\" and \"",
                        image.about.frames[own[next]].label, "\"");
        }
        if (own.size() < most.frames.size() && label_of(most.frames.front()).empty()) {
            return text("slices of ", counted(most.frames.size(), "frame"), " and of ", own.size());
        }
    }
    return "";
}

} // namespace

const std::vector<std::string>& image_part_names() {
    static const std::vector<std::string> names{"magnitude", "phase", "real", "imaginary",
                                                "complex"};
    return names;
}

std::vector<float> real_part(ImagePart part, const ImageValues& values) {
    std::vector<float> result;
    result.reserve(values.size());
    for (const std::complex<float> value : values) {
        switch (part) {
        case ImagePart::magnitude:
            result.push_back(std::abs(value));
            break;
        case ImagePart::phase:
            result.push_back(std::arg(value));
            break;
        case ImagePart::imaginary:
            result.push_back(value.imag());
            break;
        default:
            result.push_back(value.real());
        }
    }
    return result;
}

StoredImage only_frame(const StoredImage& image, std::size_t frame) {
    if (frame >= image.frames()) {
        throw UsageError({image.file, "`frame`", text(frame),
                          text("0 to ", image.frames() - 1, ": the image has ",
                               counted(image.frames(), "frame")),
                          "name one of its frames"});
    }
    const ImageFrame& chosen = image.about.frames[frame];
    if (chosen.failed()) {
        throw InputError({image.file, text(image.thing, ", frame ", frame),
                          "it failed: " + chosen.error, "a frame that was made",
                          "name another frame"});
    }
    StoredImage result = image;
    result.about.frames = {image.about.frames[frame]};
    result.about.coils = 1;
    if (result.about.frames[0].position) {
        result.about.grid.position = result.about.frames[0].position;
    }
    result.values = [values = image.values, frame](std::size_t) { return values(frame); };
    return result;
}

StoredImage only_slices(const StoredImage& image, const IndexRange& slices) {
    const Grid& whole = image.about.grid;
    if (slices.last >= whole.size[2] || slices.first > slices.last) {
        throw UsageError({image.file, "`slices`", text(slices.first, "-", slices.last),
                          text("slices of 0 to ", whole.size[2] - 1, ", the first one first"),
                          "name slices that the image has"});
    }
    StoredImage result = image;
    Grid& grid = result.about.grid;
    grid.size[2] = slices.last - slices.first + 1;
    const double voxel = whole.fov_mm[2] / static_cast<double>(whole.size[2]);
    grid.fov_mm[2] = voxel * static_cast<double>(grid.size[2]);
    const double mm = voxel * steps_from_centre(slices.first + grid.size[2] / 2, whole.size[2]);
    const auto move = [&](std::optional<Vec3>& position) {
        if (position && whole.directions) {
            position = moved(*position, (*whole.directions)[2], mm);
        } else if (mm != 0) {
            position.reset(); // without directions nobody knows where these slices are
        }
    };
    move(grid.position);
    for (ImageFrame& frame : result.about.frames) {
        move(frame.position);
    }
    const std::size_t slice = whole.size[0] * whole.size[1];
    result.values = [values = image.values, begin = slices.first * slice,
                     end = (slices.last + 1) * slice](std::size_t frame) {
        const ImageValues all = values(frame);
        return ImageValues(all.begin() + static_cast<long>(begin),
                           all.begin() + static_cast<long>(end));
    };
    return result;
}

void require_sizes(const StoredImage& image, std::size_t largest, const std::string& format) {
    const auto& size = image.about.grid.size;
    for (const std::size_t count : {size[0], size[1], size[2], image.frames()}) {
        if (count > largest) {
            throw InputError({image.file, "/image", text(count, " voxels or frames in a dimension"),
                              text("at most ", largest, ", which is all that ", format, " can say"),
                              "convert fewer with `frame` or `slices`, or to another format"});
        }
    }
}

std::string voxel_in_words(const StoredImage& image, std::size_t frame, std::size_t voxel) {
    const auto& size = image.about.grid.size;
    const std::size_t x = voxel % size[0];
    const std::size_t y = voxel / size[0] % size[1];
    std::string words = text("voxel (", x, ", ", y);
    if (image.about.grid.dimensions == 3) {
        words += text(", ", voxel / (size[0] * size[1]));
    }
    return image.thing + (image.frames() > 1 ? text(", frame ", frame, ", ") : ", ") + words + ")";
}

std::vector<std::size_t> indices_on_grid(const std::string& file, const Grid& grid,
                                         const std::vector<Vec3>& voxels) {
    constexpr double rounding = 1e-3; // of a voxel, where positions were floats
    HostMemory memory;
    memory.add("the grid", by(grid.size, 3) + " voxels",
               Cost::on_host(static_cast<double>(grid.voxels() * sizeof(std::complex<float>))));
    memory.require(file);
    std::vector<std::size_t> indices;
    std::vector<bool> taken(grid.voxels());
    for (std::size_t n = 0; n < voxels.size(); ++n) {
        bool beside = false;
        std::size_t flat = 0;
        for (std::size_t d = 3; d-- > 0;) {
            const double size = static_cast<double>(grid.size[d]);
            const double at = voxels[n][d] * size + static_cast<double>(grid.size[d] / 2);
            const double index = std::round(at);
            beside = beside || !(std::abs(at - index) <= rounding && index >= 0 && index < size);
            flat = beside ? 0 : flat * grid.size[d] + static_cast<std::size_t>(index);
        }
        if (beside || taken[flat]) {
            throw InputError(
                {file, text("/voxels, voxel ", n),
                 by(voxels[n], grid.dimensions) + " of the field of view" +
                     (beside ? ", beside the grid" : ", where another one is"),
                 text("voxels of the grid of ", by(grid.size, grid.dimensions),
                      ", which a picture needs: (n - floor(N/2)) / N, each once"),
                 "list such voxels in the scan, or reconstruct without `png`: /image holds the "
                 "values of any voxels"});
        }
        taken[flat] = true;
        indices.push_back(flat);
    }
    return indices;
}

FrameValues on_grid(const std::string& file, const Image& image, const FrameValues& values) {
    if (!image.voxels) {
        return values;
    }
    return [indices = indices_on_grid(file, image.grid, *image.voxels), values,
            voxels = image.grid.voxels()](std::size_t frame) {
        const ImageValues listed = values(frame);
        const bool failed = std::isnan(listed.front().real());
        ImageValues all(voxels, failed ? listed.front() : 0);
        for (std::size_t n = 0; n < indices.size(); ++n) {
            all[indices[n]] = listed[n];
        }
        return all;
    };
}

void require_sound_values(const StoredImage& image) {
    bool all_zero = true;
    for (std::size_t f = 0; f < image.frames(); ++f) {
        if (image.about.frames[f].failed()) {
            continue;
        }
        const ImageValues values = image.values(f);
        for (std::size_t n = 0; n < values.size(); ++n) {
            const float magnitude = std::abs(values[n]);
            if (!std::isfinite(magnitude)) {
                throw InputError({image.file, voxel_in_words(image, f, n), shown(magnitude),
                                  "values within the range of float32",
                                  "write the image again, scaled where it is too large"});
            }
            all_zero = all_zero && magnitude == 0;
        }
    }
    if (failed_among(image.about.frames).size() == image.frames()) {
        throw InputError({image.file, image.thing,
                          "every frame failed: " + image.about.frames[0].error,
                          "at least one that was made", "write the image again"});
    }
    if (all_zero) {
        throw InputError({image.file, image.thing, "0 in every voxel", "an image",
                          "see what wrote the file, and write it again"});
    }
}

Vec3 centre_of_first_voxel(const Grid& grid) {
    Vec3 centre = *grid.position;
    for (std::size_t d = 0; d < 3; ++d) {
        const double voxel = grid.fov_mm[d] / static_cast<double>(grid.size[d]);
        centre = moved(centre, (*grid.directions)[d], voxel * steps_from_centre(0, grid.size[d]));
    }
    return centre;
}

SliceStack find_slices(const StoredImage& image) {
    SliceStack stack;
    if (!image.about.frames.front().position) {
        return stack;
    }
    std::vector<StackedSlice> slices = slices_of(image);
    if (slices.size() == 1) {
        return stack;
    }
    std::sort(slices.begin(), slices.end(), [](const StackedSlice& a, const StackedSlice& b) {
        return a.along_normal < b.along_normal;
    });
    stack.problem = what_is_wrong(image, slices);
    stack.problem = stack.problem.empty() ? align_frames(image, slices) : stack.problem;
    if (!stack.problem.empty()) {
        return stack;
    }
    stack.spacing_mm = mean_spacing(slices);
    stack.middle = slices[slices.size() / 2].position;
    stack.volumes.resize(slices.front().frames.size());
    for (const StackedSlice& slice : slices) {
        for (std::size_t t = 0; t < stack.volumes.size(); ++t) {
            stack.volumes[t].push_back(slice.frames[t]);
        }
    }
    return stack;
}

namespace {

/// A volume with the solves and errors of all its slices.
ImageFrame frame_of_volume(const StoredImage& image, const std::vector<std::size_t>& volume) {
    const auto first = std::find_if(volume.begin(), volume.end(),
                                    [](std::size_t frame) { return frame != SliceStack::none; });
    ImageFrame frame = image.about.frames[*first];
    frame.label = without_slice(frame.label);
    frame.residuals.clear();
    frame.stops.clear();
    frame.error.clear();
    for (std::size_t s = 0; s < volume.size(); ++s) {
        const std::string slice_error = text(frame.error.empty() ? "" : "; ", "slice ", s, ": ");
        if (volume[s] == SliceStack::none) {
            frame.error += slice_error + "the image has no such frame";
            continue;
        }
        const ImageFrame& slice = image.about.frames[volume[s]];
        frame.residuals.insert(frame.residuals.end(), slice.residuals.begin(),
                               slice.residuals.end());
        frame.stops.insert(frame.stops.end(), slice.stops.begin(), slice.stops.end());
        if (slice.failed()) {
            frame.error += slice_error + slice.error;
        }
    }
    return frame;
}

} // namespace

StoredImage with_slices_stacked(const StoredImage& image) {
    const SliceStack stack = find_slices(image);
    if (!stack.problem.empty()) {
        throw InputError({image.file, "/frame_positions", stack.problem,
                          "frames at one position, or evenly spaced parallel slices with the same "
                          "frames",
                          "convert one frame with `frame`"});
    }
    if (stack.volumes.empty()) {
        return image;
    }
    StoredImage result = image;
    const std::size_t slices = stack.volumes[0].size();
    Grid& grid = result.about.grid;
    grid.dimensions = 3;
    grid.size[2] = slices;
    grid.fov_mm[2] = stack.spacing_mm * static_cast<double>(slices);
    // The centre of a grid is that of voxel floor(N/2).
    grid.position = stack.middle;
    result.about.frames.clear();
    std::size_t missing = 0;
    for (const auto& volume : stack.volumes) {
        result.about.frames.push_back(frame_of_volume(image, volume));
        result.about.frames.back().position = grid.position;
        missing +=
            static_cast<std::size_t>(std::count(volume.begin(), volume.end(), SliceStack::none));
    }
    if (missing > 0) {
        result.findings.push_back(
            {Found::slices_lack_frames,
             {{"missing", missing}, {"slices", slices * stack.volumes.size()}}});
    }
    const std::size_t voxels = image.voxels();
    result.values = [values = image.values, volumes = stack.volumes, voxels](std::size_t t) {
        ImageValues all;
        for (const std::size_t frame : volumes[t]) {
            const ImageValues slice =
                frame == SliceStack::none ? values_of_failed(voxels) : values(frame);
            all.insert(all.end(), slice.begin(), slice.end());
        }
        return all;
    };
    return result;
}

StoredImage in_volumes(const StoredImage& image) {
    return find_slices(image).problem.empty() ? with_slices_stacked(image) : image;
}

} // namespace lsrecon
