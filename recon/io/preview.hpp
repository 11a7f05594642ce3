// Pictures of slices and frames in grey, and their PNG files.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/report.hpp"
#include "io/image/stored.hpp"

namespace lsrecon {

/// The layout of slices and frames as panes of one picture of bounded size, known before the work.
/// Small pictures are enlarged by whole steps. Large panes show every step-th voxel; of many panes
/// some are shown, evenly spaced.
struct PreviewLayout {
    std::size_t step; ///< between the voxels that are shown
    std::size_t pane_width; ///< pixels of a pane before it is enlarged
    std::size_t pane_height;
    std::size_t panes; ///< shown
    std::size_t all_panes;
    std::size_t across; ///< panes in a row
    std::size_t zoom;

    std::size_t width() const { return across * pane_width * zoom; }
    std::size_t height() const { return (panes + across - 1) / across * pane_height * zoom; }
    /// A finding when the preview shows some slices and frames only; nothing when it shows all.
    Findings left_out() const;
};

constexpr std::size_t largest_preview = 4096; ///< pixels a side

PreviewLayout lay_out_preview(std::size_t voxels_x, std::size_t voxels_y, std::size_t panes);

/// Notes what the preview of this scan's image will leave out.
void note_preview(const Scan& scan, Reporter& report);

/// The rule for grey values of an image. Without a window phases are shown from -pi to pi,
/// magnitudes from 0, and other parts from minus white, to white. White is the percentile of the
/// sizes of the values that are shown.
struct GreyScale {
    static constexpr double usual_percentile = 99.5;
    ImagePart part = ImagePart::magnitude; ///< not complex
    std::optional<std::pair<double, double>> window{}; ///< black and white
    double percentile = usual_percentile;
};

/// Grey values row by row.
struct Picture {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<unsigned char> grey;
};

/// The preview of values on the image's grid. A frame that failed is a cross; frames of which
/// nothing is shown are not asked for.
Picture make_preview(const Image& image, const FrameValues& values, const GreyScale& grey = {});
Picture make_preview(const Image& image);

/// NotBuiltError when this build writes no pictures: asked before the work that they show.
void require_png();

/// The preview as an 8-bit grey PNG.
void write_png(const std::string& path, const Image& image, const FrameValues& values,
               const GreyScale& grey = {});

} // namespace lsrecon
