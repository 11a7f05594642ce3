#include <memory>

#include "base/error.hpp"
#include "io/hdf5/reader.hpp"
#include "io/image/formats.hpp"
#include "io/image/reader.hpp"
#include "io/image/slice_stack.hpp"
#include "io/maps_file.hpp"
#include "io/page/page.hpp"
#include "io/solves_in_words.hpp"
#include "scan/failed_frames.hpp"

// The content of a file that a page shows.

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
        }
        if (file->has("coil_maps")) {
            PageSet maps{"coil maps", checked(open_maps_as_image(path))};
            if (!content.sets.empty() &&
                content.sets[0].volumes.about.grid.same_lattice(maps.volumes.about.grid)) {
                maps.volumes.about.grid = content.sets[0].volumes.about.grid;
            }
            content.sets.push_back(std::move(maps));
        }
        for (const auto& [dataset, name] :
             {std::pair("noise_map", "noise map"), std::pair("g_factor", "g-factor")}) {
            if (file->has(dataset)) {
                content.sets.push_back({name, checked(open_image_file(file, dataset)), false});
            }
        }
        if (!file->has("image") && !content.sets.empty()) { // whose record it has
            content.sets.front().volumes.about.record = record_of(*file);
        }
    }
    if (content.sets.empty()) {
        throw InputError({path, "file",
                          "an HDF5 file with none of /image, /coil_maps, /noise_map, /g_factor",
                          "an image or coil maps", "name a file that 'lsrecon recon' wrote"});
    }
    return content;
}

} // namespace lsrecon
