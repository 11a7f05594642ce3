#include "io/image/map_previews.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/image/file.hpp"

namespace lsrecon {

namespace {

const char* const again = "reconstruct the image again";

/// A whole number of an attribute, from `least`.
std::size_t number_of(const Hdf5Reader& file, const std::string& name, std::size_t least) {
    const double value = file.attribute_numbers(map_previews_dataset, name).front();
    if (!(value >= static_cast<double>(least) && value <= 1e9) || value != std::floor(value)) {
        throw InputError({file.path(), attribute_name(map_previews_dataset, name), shown(value),
                          text("a whole number from ", least), again});
    }
    return static_cast<std::size_t>(value);
}

std::optional<std::size_t> index_of(const Hdf5Reader& file, const std::string& name) {
    if (!file.has_attribute(map_previews_dataset, name)) {
        return std::nullopt;
    }
    return number_of(file, name, 0);
}

} // namespace

void write_map_previews(Hdf5Writer& file, const MapPreviews& previews) {
    if (previews.values.empty()) {
        return;
    }
    const std::string dataset = map_previews_dataset;
    file.complex64(dataset, {previews.values.rows(), previews.size[1], previews.size[0]},
                   {&previews.values});
    file.attribute(dataset, "DIMENSION_LABELS", std::vector<std::string>{"coil", "y", "x"});
    file.attribute(dataset, "coils", static_cast<long>(previews.coils));
    file.attribute(dataset, "step", static_cast<long>(previews.step));
    if (previews.slice) {
        file.attribute(dataset, "slice", static_cast<long>(*previews.slice));
    }
    if (previews.frame) {
        file.attribute(dataset, "frame", static_cast<long>(*previews.frame));
    }
}

MapPreviews read_map_previews(const Hdf5Reader& file) {
    const std::string dataset = map_previews_dataset;
    MapPreviews previews;
    previews.step = number_of(file, "step", 1);
    previews.coils = number_of(file, "coils", 1);
    previews.slice = index_of(file, "slice");
    previews.frame = index_of(file, "frame");
    const std::vector<std::size_t> of_image = image_shape(file).extents;
    if (of_image.size() < 3) {
        throw InputError({file.path(), full_name(dataset),
                          "an image off the grid, " + shown(of_image), "[frames, (z,) y, x]",
                          again});
    }
    const auto of_side = [&](std::size_t from_last) {
        return (of_image[of_image.size() - from_last] - 1) / previews.step + 1;
    };
    previews.size = {of_side(1), of_side(2)};
    const std::size_t coils = std::min(previews.coils, MapPreviews::most_coils);
    const Hdf5Shape shape = file.checked_shape(dataset, Hdf5Kind::complex);
    const std::vector<std::size_t> expected{coils, previews.size[1], previews.size[0]};
    if (shape.extents != expected || previews.size[0] > MapPreviews::most_voxels ||
        previews.size[1] > MapPreviews::most_voxels) {
        throw InputError(
            {file.path(), full_name(dataset), shape.to_string(),
             text(shown(expected), " of at most ", MapPreviews::most_voxels, " x ",
                  MapPreviews::most_voxels, " voxels, as its attributes and /image have it"),
             again});
    }
    return previews;
}

std::string in_words(const MapPreviews& previews) {
    const std::size_t coils = std::min(previews.coils, MapPreviews::most_coils);
    std::string words = coils < previews.coils ? text(coils, " of ", previews.coils, " coils")
                                               : counted(coils, "coil");
    if (previews.slice) {
        words += text(", slice ", *previews.slice);
    }
    if (previews.frame) {
        words += text(", frame ", *previews.frame);
    }
    if (previews.step > 1) {
        words += text(", one of ", previews.step, " voxels in each direction");
    }
    return words;
}

} // namespace lsrecon
