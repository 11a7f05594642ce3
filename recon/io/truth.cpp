#include "io/truth.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "io/image/file.hpp"
#include "io/image/formats.hpp"
#include "io/native/grid.hpp"

namespace lsrecon {

namespace {

/// The extents without leading dimensions of 1: the dimension of a single frame is often left out.
std::vector<std::size_t> significant(const std::vector<std::size_t>& extents) {
    const auto first = std::find_if(extents.begin(), extents.end(),
                                    [](std::size_t extent) { return extent != 1; });
    return {first, extents.end()};
}

Hdf5Reader opened(const std::string& path) {
    refuse_other_formats(path, "an image file of lsrecon",
                         "lsrecon convert " + shell_word(path) + " -o TRUTH.h5");
    return Hdf5Reader(path);
}

} // namespace

Truth::Truth(const std::string& path) : file_(opened(path)), extents_(image_shape(file_).extents) {
    Hdf5Values stored(file_, "image");
    std::vector<Complex> values;
    for (std::size_t left = product_of(extents_); left > 0; left -= values.size()) {
        values.resize(std::min<std::size_t>(left, 1 << 16));
        stored.read(values.data(), values.size());
        for (const Complex value : values) {
            norm_ = std::hypot(norm_, std::abs(value)); // squares may leave the range of doubles
        }
    }
    if (!std::isfinite(norm_) || norm_ == 0) {
        throw InputError({path, "/image", norm_ == 0 ? "only zeros" : "values that are not finite",
                          "an image to compare with", "name the truth of this scan"});
    }
}

void Truth::require_size_of(const Scan& scan) const {
    native::Extents wanted = native::image_extents(scan);
    wanted.insert(wanted.begin(), scan.frames.size());
    if (significant(extents_) != significant(wanted)) {
        throw InputError({file_.path(), "/image", shown(extents_),
                          shown(wanted) + ", the image of " + scan.file,
                          "name the truth of this scan"});
    }
}

std::optional<double> Truth::error_of(const std::vector<ImageFrame>& frames,
                                      const FrameValues& image) const {
    Hdf5Values stored(file_, "image");
    std::vector<Complex> truth;
    double difference = 0;
    double norm = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const ImageValues values = image(f);
        truth.resize(values.size());
        stored.read(truth.data(), truth.size());
        for (std::size_t n = 0; n < values.size() && !frames[f].failed(); ++n) {
            difference = std::hypot(difference, std::abs(Complex(values[n])) - std::abs(truth[n]));
            norm = std::hypot(norm, std::abs(truth[n]));
        }
    }
    return norm > 0 ? std::optional<double>(difference / norm) : std::nullopt;
}

} // namespace lsrecon
