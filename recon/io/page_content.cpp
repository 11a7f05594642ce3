#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/failed_frames.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image_formats.hpp"
#include "io/image_reader.hpp"
#include "io/page.hpp"
#include "io/slice_stack.hpp"
#include "io/solves_in_words.hpp"
#include "io/stored_map_previews.hpp"

// What of a file a page shows.

namespace lsrecon {

namespace {

using Reader = std::shared_ptr<const Hdf5Reader>;

StoredImage checked(const StoredImage& image) {
    require_sound_values(image);
    return image;
}

std::vector<std::string> notes_on_failures(const StoredImage& image) {
    constexpr std::size_t most = 20;
    const std::vector<std::size_t> failed = failed_among(image.about.frames);
    if (failed.empty()) {
        return {};
    }
    std::vector<std::string> notes{list_of_failures(failed, image.frames()) +
                                   "; a cross is in their place"};
    for (std::size_t i = 0; i < failed.size() && i < most; ++i) {
        notes.push_back(text("frame ", failed[i], ": ", image.about.frames[failed[i]].error));
    }
    return notes;
}

/// Slices as volumes where they are some; else the frames as they are.
StoredImage stacked(const StoredImage& image) {
    return find_slices(image).problem.empty() ? with_slices_stacked(image) : image;
}

bool is_a_slice_of(const Grid& grid, const std::vector<PageSet>& image) {
    return grid.dimensions == 2 && !image.empty() &&
           std::equal(grid.size.begin(), grid.size.begin() + 2,
                      image.front().volumes.about.grid.size.begin());
}

/// Volumes of a dataset whose last dimensions are (z,) y, x. Its geometry is that of the image on
/// the same grid, or of a scan; without them voxels are as long as they are wide.
StoredImage volumes_of(const Hdf5Reader& file, const std::string& dataset,
                       std::vector<std::size_t> extents, const std::string& label,
                       const std::vector<PageSet>& image) {
    StoredImage result;
    result.file = file.path();
    result.thing = full_name(dataset);
    result.about.frames.resize(extents.front());
    for (std::size_t f = 0; f < extents.front() && extents.front() > 1; ++f) {
        result.about.frames[f].label = text(label, " ", f);
    }
    extents.erase(extents.begin());
    Grid& grid = result.about.grid;
    grid.dimensions = static_cast<int>(extents.size());
    for (std::size_t d = 0; d < extents.size(); ++d) {
        grid.size[d] = extents[extents.size() - 1 - d];
        grid.fov_mm[d] = static_cast<double>(grid.size[d]);
        if (grid.size[d] > longest_side) {
            throw InputError({file.path(), full_name(dataset), text(grid.size[d], " voxels"),
                              text("at most ", longest_side), "see whether the file is damaged"});
        }
    }
    if (!image.empty() && image.front().volumes.about.grid.same_lattice(grid)) {
        grid = image.front().volumes.about.grid;
    } else if (is_a_slice_of(grid, image)) {
        std::copy_n(image.front().volumes.about.grid.fov_mm.begin(), 2, grid.fov_mm.begin());
    } else if (file.has_attribute("/", "fov_mm")) { // of a scan
        const std::vector<double> fov = file.attribute_numbers("/", "fov_mm");
        for (std::size_t d = 0; d < extents.size() && fov.size() == extents.size(); ++d) {
            grid.fov_mm[d] = fov[d] > 0 ? fov[d] : grid.fov_mm[d];
        }
    }
    return result;
}

[[noreturn]] void refuse_shape(const Hdf5Reader& file, const std::string& dataset,
                               const Hdf5Shape& shape, const std::string& expected) {
    throw InputError({file.path(), full_name(dataset), shape.to_string(), expected,
                      "write the dataset as docs/formats.md describes it"});
}

FrameValues coils_of(const Reader& file, const std::string& dataset) {
    return [file, dataset](std::size_t coil) {
        const std::vector<Complex> values = file->read_complex_row(dataset, coil);
        return ImageValues(values.begin(), values.end());
    };
}

PageSet coil_maps_of(const Reader& file, const std::vector<PageSet>& image) {
    const Hdf5Shape shape = file->checked_shape("coil_maps", Hdf5Kind::complex);
    if (shape.extents.size() != 3 && shape.extents.size() != 4) {
        refuse_shape(*file, "coil_maps", shape, "maps on a grid, [coils, (z,) y, x]");
    }
    PageSet set{"coil maps", volumes_of(*file, "coil_maps", shape.extents, "coil", image)};
    set.volumes.values = coils_of(file, "coil_maps");
    require_sound_values(set.volumes);
    return set;
}

/// Of the maps that the image was made with.
PageSet map_previews_of(const Reader& file, const Grid& image) {
    const MapPreviews previews = read_map_previews(*file);
    PageSet set{"coil maps: " + in_words(previews),
                volumes_of(*file, map_previews_dataset, file->shape(map_previews_dataset).extents,
                           "coil", {})};
    set.step = previews.step;
    set.slice = previews.slice.value_or(0);
    Grid& grid = set.volumes.about.grid;
    for (std::size_t d = 0; d < 2; ++d) {
        grid.fov_mm[d] = image.fov_mm[d] / static_cast<double>(image.size[d]) *
                         static_cast<double>(previews.step * grid.size[d]);
    }
    grid.directions = image.directions;
    set.volumes.values = coils_of(file, map_previews_dataset);
    require_sound_values(set.volumes);
    return set;
}

/// Of a real number a voxel.
PageSet real_map_of(const Reader& file, const std::string& dataset, const std::string& name,
                    const std::vector<PageSet>& image) {
    if (file->has("voxels")) {
        return {name, checked(open_image_file(file, dataset)), false};
    }
    const Hdf5Shape shape = file->checked_shape(dataset, Hdf5Kind::real);
    std::vector<std::size_t> extents = shape.extents;
    if (extents.size() != 2 && extents.size() != 3) {
        refuse_shape(*file, dataset, shape, "one real volume, [(z,) y, x]");
    }
    extents.insert(extents.begin(), 1);
    PageSet set{name, volumes_of(*file, dataset, extents, "", image), false};
    set.volumes.values = [file, dataset](std::size_t) {
        const std::vector<double> values = file->read_real(dataset);
        return ImageValues(values.begin(), values.end());
    };
    require_sound_values(set.volumes);
    return set;
}

} // namespace

PageContent content_for_page(const std::string& path) {
    const ImageFormat& format = format_of_input(path);
    PageContent content{path, {}};
    if (format.name != image_file_format) {
        content.sets.push_back({"image", stacked(checked(format.open(path, {})))});
    } else {
        const auto file = std::make_shared<const Hdf5Reader>(path);
        if (file->has("image")) {
            const StoredImage image = checked(format.open(path, {}));
            content.notes = notes_on_failures(image);
            content.solves = solves_in_words(image.about.frames, image.about.record);
            content.sets.push_back({"image", stacked(image)});
            if (file->has(map_previews_dataset)) {
                content.previews.push_back(map_previews_of(file, image.about.grid));
            }
        }
        if (file->has("coil_maps")) {
            content.sets.push_back(coil_maps_of(file, content.sets));
        }
        for (const auto& [dataset, name] :
             {std::pair("noise_map", "noise map"), std::pair("g_factor", "g-factor")}) {
            if (file->has(dataset)) {
                content.sets.push_back(real_map_of(file, dataset, name, content.sets));
            }
        }
        if (!file->has("image") && !content.sets.empty()) { // whose record it has
            content.sets.front().volumes.about.record = record_of(*file);
        }
    }
    if (content.sets.empty()) {
        throw InputError({path, "file",
                          "an HDF5 file with none of /image, /coil_maps, /noise_map, /g_factor",
                          "something to look at", "name a file that 'lsrecon recon' wrote"});
    }
    return content;
}

} // namespace lsrecon
