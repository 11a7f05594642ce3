#include "io/field_file.hpp"

#include "io/image/formats.hpp"
#include "io/native/grid.hpp"

namespace lsrecon {

namespace {

/// The field map of a NIfTI-1 or ISMRMRD image, whose numbers are taken to be Hz.
StoredField field_of_image(const std::string& path, const Grid& like) {
    const OnlyImage image = read_only_image(path, "MAP.nii `part` real");
    const StoredImage& about = image.about;
    const Grid& grid = about.about.grid;
    if (!native::has_dimensions_of(like, native::grid_extents(grid))) {
        throw InputError({path, about.thing, text("an image of ", grid.dimensions, " dimensions"),
                          text("a field map of ", like.dimensions, " dimensions, in Hz"),
                          "name a field map of this scan's object"});
    }
    StoredField result{grid, {}, image.sha256};
    RealVector& field = result.off_resonance.field;
    field.resize(static_cast<Eigen::Index>(image.values.size()));
    for (std::size_t n = 0; n < image.values.size(); ++n) {
        const std::complex<float> value = image.values[n];
        if (value.imag() != 0) {
            throw InputError(
                {path, place_in(about, 0, n),
                 text("the complex number ", value.real(), value.imag() < 0 ? " - " : " + ",
                      std::abs(value.imag()), " i"),
                 "a real field map, in Hz",
                 "compute the field from the phases of two echo times, and store that"});
        }
        field(static_cast<Eigen::Index>(n)) = value.real();
    }
    return result;
}

} // namespace

StoredField read_field(const std::string& path, const Grid& like) {
    if (other_format_of(path) != nullptr) {
        return field_of_image(path, like);
    }
    const Hdf5Reader file(path);
    file.start_hash();
    const auto dimensions = static_cast<std::size_t>(like.dimensions);
    const std::string expected = text("a field map of ", dimensions, " dimensions, in Hz");
    if (!file.is_dataset("field_map")) {
        throw InputError({path, "/field_map", "no such dataset", expected,
                          "name a file with a field map, or leave `field_map` out"});
    }
    const Hdf5Shape shape = file.checked_shape("field_map", Hdf5Kind::real);
    if (!native::has_dimensions_of(like, shape.extents)) {
        throw InputError({path, "/field_map", shape.to_string(), expected,
                          "name a field map of this scan's object"});
    }
    StoredField result;
    result.grid = native::grid_of_volumes(file, "field_map", shape.extents, like);
    result.off_resonance =
        native::read_field_map(file, native::grid_extents(result.grid), "the grid of the file");
    result.sha256 = file.sha256();
    return result;
}

} // namespace lsrecon
