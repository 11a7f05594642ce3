// Images as files hold them: a frame at a time, in parts, as stacks of slices.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/image.hpp"

namespace lsrecon {

/// The part of complex values that a file holds.
enum class ImagePart { magnitude, phase, real, imaginary, complex };

/// An image on a grid in a file: what the file says of it, and its values, a frame at a time.
struct StoredImage {
    std::string file;
    std::string thing; ///< what messages call it within the file: "/image", or "values"
    Image about; ///< its frames have no values; its record is in words
    FrameValues values;
    bool of_coils = false; ///< frames are coil maps
    ImagePart part = ImagePart::complex; ///< or `real`, where the file has real numbers
    Findings findings{}; ///< what the user should know and is not an error

    std::size_t voxels() const { return about.grid.voxels(); }
    std::size_t frames() const { return about.frames.size(); }
};

/// The names of the image parts, in the order of the enumeration.
const std::vector<std::string>& image_part_names();

/// One real number a voxel; phases in rad from -pi to pi. The part is not `complex`.
std::vector<float> real_part(ImagePart part, const ImageValues& values);

/// Whole numbers from 0, both included.
struct IndexRange {
    std::size_t first = 0;
    std::size_t last = 0;
};

/// The one frame, at its own position. UsageError when there is no such frame, InputError when it
/// failed.
StoredImage only_frame(const StoredImage& image, std::size_t frame);

/// The slices of z in this range, at their own position. UsageError when the image lacks one of
/// them.
StoredImage only_slices(const StoredImage& image, const IndexRange& slices);

/// The voxels of the grid at which listed ones lie. InputError for one that lies beside the grid,
/// or where another does, and when the host has no room for the grid.
std::vector<std::size_t> indices_on_grid(const std::string& file, const Grid& grid,
                                         const std::vector<Vec3>& voxels);

/// The values of an image on its grid. Where it lists voxels, theirs are at their indices and the
/// others are 0; the same errors.
FrameValues on_grid(const std::string& file, const Image& image, const FrameValues& values);

/// Looks through every value of the frames that did not fail. InputError that names the first that
/// is not finite; when all are zero or failed, too: no scan has such an image.
void require_sound_values(const StoredImage& image);

/// InputError when a dimension has more voxels, or the image more frames, than this format can say.
void require_sizes(const StoredImage& image, std::size_t largest, const std::string& format);

/// "/image, frame 3, voxel (4, 0, 2)"
std::string voxel_in_words(const StoredImage& image, std::size_t frame, std::size_t voxel);

/// Whether the grid is a plane of unknown thickness: its third length is the 1 of a new grid.
inline bool has_no_thickness(const Grid& grid) {
    return grid.dimensions == 2 && grid.fov_mm[2] == Grid().fov_mm[2];
}

/// The centre of the first voxel, from the grid's centre and directions.
Vec3 centre_of_first_voxel(const Grid& grid);

/// The arrangement of frames at several positions as volumes: parallel slices, evenly spaced along
/// their normal, each with the same frames but for those of a scan that was stopped.
struct SliceStack {
    static constexpr std::size_t none = SIZE_MAX; ///< for a frame that a slice lacks

    std::string problem; ///< why they do not, "" when they do
    double spacing_mm = 0;
    Vec3 middle{0, 0, 0}; ///< position of slice floor(N/2)
    /// [volume][slice] frame or none; slices along the normal. Empty when all frames are of one.
    std::vector<std::vector<std::size_t>> volumes;
};

SliceStack find_slices(const StoredImage& image);

/// The image with its slices as the third dimension, where there are several; NaN and an error of
/// its frame, and a finding, for a slice that lacks one. InputError when frames at several
/// positions are no such slices.
StoredImage with_slices_stacked(const StoredImage& image);
/// The same where they are such slices; else the frames as they are.
StoredImage in_volumes(const StoredImage& image);

} // namespace lsrecon
