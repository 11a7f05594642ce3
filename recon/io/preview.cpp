#include "io/preview.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace lsrecon {

namespace {

constexpr std::size_t readable_width = 384;

std::size_t divided_up(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

/// Voxels of a tile and the number of tiles.
struct Tiles {
    std::size_t x;
    std::size_t y;
    std::size_t count;
};

Tiles tiles_of(const Grid& grid, bool on_grid, std::size_t voxels, std::size_t frames) {
    return on_grid ? Tiles{grid.size[0], grid.size[1], grid.size[2] * frames}
                   : Tiles{voxels, 1, frames};
}

float white_level(std::vector<float> magnitudes) {
    const std::size_t rank = (magnitudes.size() - 1) * 995 / 1000;
    std::nth_element(magnitudes.begin(), magnitudes.begin() + static_cast<long>(rank),
                     magnitudes.end());
    // A few bright voxels on black have a percentile of zero.
    const float white = magnitudes[rank] > 0
                            ? magnitudes[rank]
                            : *std::max_element(magnitudes.begin(), magnitudes.end());
    return white > 0 ? white : 1;
}

/// Tile after tile, each row by row.
std::vector<float> shown_magnitudes(const Image& image, const Tiles& of,
                                    const PreviewLayout& layout) {
    const std::size_t slices = of.count / image.frames.size();
    std::vector<float> magnitudes;
    magnitudes.reserve(layout.tiles * layout.tile_width * layout.tile_height);
    for (std::size_t t = 0; t < layout.tiles; ++t) {
        const std::size_t tile = t * layout.all_tiles / layout.tiles;
        const ComplexVector& values = image.frames[tile / slices].values;
        for (std::size_t y = 0; y < of.y; y += layout.step) {
            for (std::size_t x = 0; x < of.x; x += layout.step) {
                const std::size_t n = (tile % slices * of.y + y) * of.x + x;
                magnitudes.push_back(
                    static_cast<float>(std::abs(values(static_cast<Eigen::Index>(n)))));
            }
        }
    }
    return magnitudes;
}

} // namespace

std::string PreviewLayout::left_out() const {
    std::string what;
    if (tiles < all_tiles) {
        what = text("the preview shows ", tiles, " of ", all_tiles, " slices and frames");
    }
    if (step > 1) {
        what += text(what.empty() ? "the preview shows " : ", and ", "one of ", step,
                     " voxels in each direction");
    }
    return what;
}

PreviewLayout lay_out_preview(std::size_t voxels_x, std::size_t voxels_y, std::size_t tiles) {
    PreviewLayout layout{};
    layout.step = divided_up(std::max(voxels_x, voxels_y), largest_preview);
    layout.tile_width = divided_up(voxels_x, layout.step);
    layout.tile_height = divided_up(voxels_y, layout.step);
    const std::size_t columns = largest_preview / layout.tile_width;
    const std::size_t rows = largest_preview / layout.tile_height;
    layout.all_tiles = tiles;
    layout.tiles = std::min(tiles, columns * rows);
    const double square = std::ceil(std::sqrt(static_cast<double>(layout.tiles)));
    layout.across =
        std::clamp(static_cast<std::size_t>(square), divided_up(layout.tiles, rows), columns);
    layout.zoom = 1;
    const std::size_t fits = largest_preview / std::max(layout.width(), layout.height());
    layout.zoom = std::clamp<std::size_t>(readable_width / layout.width(), 1, fits);
    return layout;
}

void tell_preview(const Scan& scan, Reporter& report) {
    const std::size_t voxels = scan.voxels ? scan.voxels->size() : 0;
    const Tiles of = tiles_of(scan.grid, !scan.voxels, voxels, scan.frames.size());
    const std::string left_out = lay_out_preview(of.x, of.y, of.count).left_out();
    if (!left_out.empty()) {
        report.note(left_out);
    }
}

Picture make_preview(const Image& image) {
    const Tiles of =
        tiles_of(image.grid, image.on_grid, static_cast<std::size_t>(image.frames[0].values.size()),
                 image.frames.size());
    const PreviewLayout layout = lay_out_preview(of.x, of.y, of.count);
    const std::vector<float> magnitudes = shown_magnitudes(image, of, layout);
    const float white = white_level(magnitudes);
    Picture picture{layout.width(), layout.height(), {}};
    picture.grey.assign(picture.width * picture.height, 0);
    for (std::size_t row = 0; row < picture.height; ++row) {
        for (std::size_t column = 0; column < picture.width; ++column) {
            const std::size_t y = row / layout.zoom;
            const std::size_t x = column / layout.zoom;
            const std::size_t tile = y / layout.tile_height * layout.across + x / layout.tile_width;
            if (tile < layout.tiles) {
                const std::size_t n =
                    (tile * layout.tile_height + y % layout.tile_height) * layout.tile_width +
                    x % layout.tile_width;
                picture.grey[row * picture.width + column] = static_cast<unsigned char>(
                    std::lround(255 * std::min(1.0F, magnitudes[n] / white)));
            }
        }
    }
    return picture;
}

} // namespace lsrecon
