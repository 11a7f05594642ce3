// Arranges slices and frames in panes, scales them to grey with white at a percentile, and writes
// them by libpng.

#include "io/preview.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "scan/failed_frames.hpp"
#ifdef LSRECON_WITH_PNG
#include <png.h>
#endif

namespace lsrecon {

namespace {

constexpr std::size_t readable_width = 384;

std::size_t divided_up(std::size_t a, std::size_t b) {
    return (a + b - 1) / b;
}

/// Voxels of a pane and the number of panes.
struct Panes {
    std::size_t x;
    std::size_t y;
    std::size_t count;
};

Panes panes_of(const Grid& grid, std::size_t frames) {
    return {grid.size[0], grid.size[1], grid.size[2] * frames};
}

float white_level(const std::vector<float>& shown, double percentile) {
    std::vector<float> sizes;
    for (const float value : shown) {
        if (!std::isnan(value)) { // as in frames that failed
            sizes.push_back(std::abs(value));
        }
    }
    if (sizes.empty()) {
        return 1;
    }
    const auto last = static_cast<double>(sizes.size() - 1);
    const auto rank = static_cast<std::size_t>(last * percentile / 100);
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<long>(rank), sizes.end());
    // A few bright voxels on black have a percentile of zero.
    const float white =
        sizes[rank] > 0 ? sizes[rank] : *std::max_element(sizes.begin(), sizes.end());
    return white > 0 ? white : 1;
}

/// Black and white.
std::pair<double, double> levels_of(const std::vector<float>& shown, const GreyScale& grey) {
    if (grey.window) {
        return *grey.window;
    }
    if (grey.part == ImagePart::phase) {
        return {-pi, pi};
    }
    const double white = white_level(shown, grey.percentile);
    return {grey.part == ImagePart::magnitude ? 0 : -white, white};
}

unsigned char grey_of(float value, const std::pair<double, double>& levels) {
    const double share = (value - levels.first) / (levels.second - levels.first);
    return static_cast<unsigned char>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

/// Pane after pane, each row by row.
std::vector<float> shown_values(const FrameValues& frames, std::size_t count, const Panes& of,
                                const PreviewLayout& layout, ImagePart part) {
    const std::size_t slices = of.count / count;
    std::size_t present = count; // none
    std::vector<float> values;
    std::vector<float> shown;
    shown.reserve(layout.panes * layout.pane_width * layout.pane_height);
    for (std::size_t t = 0; t < layout.panes; ++t) {
        const std::size_t pane = t * layout.all_panes / layout.panes;
        if (pane / slices != present) {
            present = pane / slices;
            values = real_part(part, frames(present));
        }
        for (std::size_t y = 0; y < of.y; y += layout.step) {
            for (std::size_t x = 0; x < of.x; x += layout.step) {
                const std::size_t n = (pane % slices * of.y + y) * of.x + x;
                shown.push_back(values[n]);
            }
        }
    }
    return shown;
}

} // namespace

Findings PreviewLayout::left_out() const {
    if (panes == all_panes && step == 1) {
        return {};
    }
    return {{Found::preview_partial, {{"shown", panes}, {"panes", all_panes}, {"step", step}}}};
}

PreviewLayout lay_out_preview(std::size_t voxels_x, std::size_t voxels_y, std::size_t panes) {
    PreviewLayout layout{};
    layout.step = divided_up(std::max(voxels_x, voxels_y), largest_preview);
    layout.pane_width = divided_up(voxels_x, layout.step);
    layout.pane_height = divided_up(voxels_y, layout.step);
    const std::size_t columns = largest_preview / layout.pane_width;
    const std::size_t rows = largest_preview / layout.pane_height;
    layout.all_panes = panes;
    layout.panes = std::min(panes, columns * rows);
    const double square = std::ceil(std::sqrt(static_cast<double>(layout.panes)));
    layout.across =
        std::clamp(static_cast<std::size_t>(square), divided_up(layout.panes, rows), columns);
    layout.zoom = 1;
    const std::size_t fits = largest_preview / std::max(layout.width(), layout.height());
    layout.zoom = std::clamp<std::size_t>(readable_width / layout.width(), 1, fits);
    return layout;
}

void note_preview(const Scan& scan, Reporter& report) {
    const Panes of = panes_of(scan.grid, scan.frames.size());
    report.add(lay_out_preview(of.x, of.y, of.count).left_out());
}

Picture make_preview(const Image& image) {
    return make_preview(image, values_of(image));
}

Picture make_preview(const Image& image, const FrameValues& values, const GreyScale& grey) {
    const Panes of = panes_of(image.grid, image.frames.size());
    const PreviewLayout layout = lay_out_preview(of.x, of.y, of.count);
    std::vector<float> shown = shown_values(values, image.frames.size(), of, layout, grey.part);
    const std::pair<double, double> levels = levels_of(shown, grey);
    cross_out(shown, layout.pane_width, layout.pane_height, static_cast<float>(levels.second),
              static_cast<float>(levels.first));
    Picture picture{layout.width(), layout.height(), {}};
    picture.grey.assign(picture.width * picture.height, 0);
    for (std::size_t row = 0; row < picture.height; ++row) {
        for (std::size_t column = 0; column < picture.width; ++column) {
            const std::size_t y = row / layout.zoom;
            const std::size_t x = column / layout.zoom;
            const std::size_t pane = y / layout.pane_height * layout.across + x / layout.pane_width;
            if (pane < layout.panes) {
                const std::size_t n =
                    (pane * layout.pane_height + y % layout.pane_height) * layout.pane_width +
                    x % layout.pane_width;
                picture.grey[row * picture.width + column] = grey_of(shown[n], levels);
            }
        }
    }
    return picture;
}

#ifdef LSRECON_WITH_PNG

void require_png() {}

void write_png(const std::string& path, const Image& image, const FrameValues& values,
               const GreyScale& grey) {
    const Picture picture = make_preview(image, values, grey);
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
             "free some space or name another output"});
    }
    target.commit();
}

#else

void require_png() {
    throw NotBuiltError("PNG pictures are not built in\n  next:     configure with "
                        "-DLSRECON_WITH_PNG=ON, or do without pictures");
}

void write_png(const std::string&, const Image&, const FrameValues&, const GreyScale&) {
    require_png();
}

#endif

} // namespace lsrecon
