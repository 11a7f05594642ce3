#include "io/image/slice_stack.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

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
        if (slice.frames.size() != first.frames.size()) {
            return text("slices of ", counted(first.frames.size(), "frame"), " and of ",
                        slice.frames.size());
        }
        for (std::size_t t = 0; t < slice.frames.size(); ++t) {
            const std::string& one = image.about.frames[first.frames[t]].label;
            const std::string& other = image.about.frames[slice.frames[t]].label;
            if (without_slice(one) != without_slice(other)) {
                return text("slices of different frames: \"", one, "\" and \"", other, "\"");
            }
        }
    }
    return "";
}

} // namespace

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
    if (!stack.problem.empty()) {
        return stack;
    }
    stack.spacing_mm = mean_spacing(slices);
    stack.volumes.resize(slices.front().frames.size());
    for (const StackedSlice& slice : slices) {
        for (std::size_t t = 0; t < stack.volumes.size(); ++t) {
            stack.volumes[t].push_back(slice.frames[t]);
        }
    }
    return stack;
}

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
    grid.position = image.about.frames[stack.volumes[0][slices / 2]].position;
    result.about.frames.clear();
    for (const auto& volume : stack.volumes) {
        ImageFrame frame = image.about.frames[volume[0]];
        frame.label = without_slice(frame.label);
        frame.position = grid.position;
        frame.residuals.clear();
        frame.stops.clear();
        frame.error.clear();
        for (std::size_t s = 0; s < slices; ++s) { // a volume has the solves of all its slices
            const ImageFrame& slice = image.about.frames[volume[s]];
            frame.residuals.insert(frame.residuals.end(), slice.residuals.begin(),
                                   slice.residuals.end());
            frame.stops.insert(frame.stops.end(), slice.stops.begin(), slice.stops.end());
            if (slice.failed()) {
                frame.error +=
                    text(frame.error.empty() ? "" : "; ", "slice ", s, ": ", slice.error);
            }
        }
        result.about.frames.push_back(frame);
    }
    result.values = [values = image.values, volumes = stack.volumes](std::size_t t) {
        ImageValues all;
        for (const std::size_t frame : volumes[t]) {
            const ImageValues slice = values(frame);
            all.insert(all.end(), slice.begin(), slice.end());
        }
        return all;
    };
    return result;
}

} // namespace lsrecon
