#include "io/field_file.hpp"

#include "io/image_formats.hpp"
#include "io/native_off_resonance.hpp"
#include "io/native_scan_parts.hpp"

namespace lsrecon {

StoredField read_field(const std::string& path, const Grid& like) {
    refuse_other_formats(path, "HDF5 with /field_map in Hz",
                         "lsrecon convert " + path +
                             " -o MAP.h5, and store its values as docs/formats.md shows");
    const Hdf5Reader file(path);
    file.start_hash();
    const auto dimensions = static_cast<std::size_t>(like.dimensions);
    const std::string expected = text("a field map of ", dimensions, " dimensions, in Hz");
    if (!file.has("field_map") || !file.is_dataset("field_map")) {
        throw InputError({path, "/field_map", "no such dataset", expected,
                          "name a file with a field map, or leave --field-map out"});
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
