#include "io/png_file.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/replacing_file.hpp"

#ifdef LSRECON_WITH_PNG
#include <png.h>

namespace lsrecon {

namespace {

constexpr std::size_t readable_width = 384;

/// Grey values of the mosaic, row by row.
struct Picture {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<unsigned char> grey;
};

double white_level(const Image& image) {
    std::vector<double> magnitudes;
    for (const ImageFrame& frame : image.frames) {
        for (const Complex value : frame.values) {
            magnitudes.push_back(std::abs(value));
        }
    }
    const std::size_t rank = (magnitudes.size() - 1) * 995 / 1000;
    std::nth_element(magnitudes.begin(), magnitudes.begin() + static_cast<long>(rank),
                     magnitudes.end());
    // A few bright voxels on black have a percentile of zero.
    return magnitudes[rank] > 0 ? magnitudes[rank]
                                : *std::max_element(magnitudes.begin(), magnitudes.end());
}

Picture mosaic(const Image& image) {
    const std::size_t x = image.on_grid ? image.grid.size[0]
                                        : static_cast<std::size_t>(image.frames[0].values.size());
    const std::size_t y = image.on_grid ? image.grid.size[1] : 1;
    const std::size_t slices = image.on_grid ? image.grid.size[2] : 1;
    const std::size_t tiles = slices * image.frames.size();
    const auto across = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(tiles))));
    const std::size_t down = (tiles + across - 1) / across;
    const std::size_t zoom = std::max<std::size_t>(1, readable_width / (across * x));
    const double white = white_level(image);
    Picture picture{across * x * zoom, down * y * zoom, {}};
    picture.grey.assign(picture.width * picture.height, 0);
    for (std::size_t row = 0; row < picture.height; ++row) {
        for (std::size_t column = 0; column < picture.width; ++column) {
            const std::size_t tile = row / zoom / y * across + column / zoom / x;
            if (tile >= tiles) {
                continue;
            }
            const std::size_t n = (tile % slices * y + row / zoom % y) * x + column / zoom % x;
            const Complex value = image.frames[tile / slices].values(static_cast<Eigen::Index>(n));
            picture.grey[row * picture.width + column] = static_cast<unsigned char>(
                std::lround(255 * std::min(1.0, std::abs(value) / white)));
        }
    }
    return picture;
}

} // namespace

void require_png() {}

void write_png(const std::string& path, const Image& image) {
    const Picture picture = mosaic(image);
    ReplacingFile target(path);
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(picture.width);
    png.height = static_cast<png_uint_32>(picture.height);
    png.format = PNG_FORMAT_GRAY;
    if (png_image_write_to_file(&png, target.path().c_str(), 0, picture.grey.data(), 0, nullptr) ==
        0) {
        throw InputError(
            {path, "preview", png.message,
             "a PNG of " + std::to_string(picture.width) + " columns that can be written",
             "free some space, or leave the preview out"});
    }
    target.commit();
}

} // namespace lsrecon

#else

namespace lsrecon {

void require_png() {
    throw NotBuiltError("PNG previews are not built in\n  next:     configure with "
                        "-DLSRECON_WITH_PNG=ON, or leave the preview out");
}

void write_png(const std::string&, const Image&) {
    require_png();
}

} // namespace lsrecon

#endif
