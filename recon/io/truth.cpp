#include "io/truth.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "io/hdf5_file.hpp"

namespace lsrecon {

namespace {

/// Without the dimensions of 1 in front: a frame of its own is often left out.
std::vector<std::size_t> significant(const std::vector<std::size_t>& extents) {
    const auto first = std::find_if(extents.begin(), extents.end(),
                                    [](std::size_t extent) { return extent != 1; });
    return {first, extents.end()};
}

std::vector<std::size_t> image_extents(const Scan& scan) {
    std::vector<std::size_t> extents{scan.frames.size()};
    if (scan.voxels) {
        extents.push_back(scan.voxels->size());
        return extents;
    }
    for (std::size_t d = static_cast<std::size_t>(scan.grid.dimensions); d-- > 0;) {
        extents.push_back(scan.grid.size[d]);
    }
    return extents;
}

} // namespace

Truth::Truth(const std::string& path) : path_(path), data_(read_image(path)) {
    for (const Complex value : data_.values) {
        norm_ = std::hypot(norm_, std::abs(value)); // squares may leave the range of doubles
    }
    if (!std::isfinite(norm_) || norm_ == 0) {
        throw InputError({path, "/image", norm_ == 0 ? "zeros only" : "values that are not finite",
                          "an image to compare with", "name the truth of this scan"});
    }
}

void Truth::require_size_of(const Scan& scan) const {
    const std::vector<std::size_t> wanted = image_extents(scan);
    if (significant(data_.extents) != significant(wanted)) {
        throw InputError({path_, "/image", shown(data_.extents),
                          shown(wanted) + ", the image of " + scan.file,
                          "name the truth of this scan"});
    }
}

double Truth::error_of(const Image& image) const {
    double difference = 0;
    auto truth = data_.values.begin();
    for (const ImageFrame& frame : image.frames) {
        for (const Complex value : frame.values) {
            difference = std::hypot(difference, std::abs(value) - std::abs(*truth++));
        }
    }
    return difference / norm_;
}

} // namespace lsrecon
