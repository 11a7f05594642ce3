// Writes coil maps as HDF5 in the layout of a native scan, and opens such a file as an image of one
// frame a coil.

#include "io/maps_file.hpp"

#include <algorithm>

#include "base/output_file.hpp"
#include "io/beside.hpp"
#include "io/hdf5/writer.hpp"
#include "io/native/grid.hpp"
#include "io/native/scan.hpp"
#include "io/record.hpp"

namespace lsrecon {

void write_maps(const std::string& path, const StoredVolumes& maps, const Record& record) {
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path);
    write_grid(file, maps.grid);
    file.attribute("/", "format", "lsrecon-maps");
    file.attribute("/", "version", 1L);
    native::Extents extents = native::grid_extents(maps.grid);
    extents.insert(extents.begin(), maps.values.rows());
    file.rows("coil_maps", extents, {&maps.values});
    write_record(file, record);
    file.close();
    target.commit();
}

bool holds_maps_alone(const Hdf5Reader& file) {
    return file.has("coil_maps") && !file.has("image") && name_of_scan_format(file).empty();
}

StoredImage open_maps_as_image(const std::string& path) {
    Grid like; // with voxels of 1 mm, where the file says nothing
    const std::vector<std::size_t> extents = Hdf5Reader(path).shape("coil_maps").extents;
    like.dimensions = extents.size() == 4 ? 3 : 2;
    std::copy_n(extents.rbegin(), std::min<std::size_t>(3, extents.size()), like.fov_mm.begin());
    const auto stored =
        std::make_shared<const StoredVolumes>(read_volumes(coil_maps_beside, path, like));
    StoredImage image;
    image.file = path;
    image.thing = "/coil_maps";
    image.of_coils = true;
    image.about.grid = stored->grid;
    image.about.frames.resize(stored->values.rows());
    for (std::size_t c = 0; c < image.frames(); ++c) {
        image.about.frames[c].label = text("coil ", c);
    }
    image.values = [stored](std::size_t coil) {
        ImageValues values(stored->grid.voxels());
        for (std::size_t n = 0; n < values.size(); ++n) {
            values[n] = std::complex<float>(stored->values(coil, n));
        }
        return values;
    };
    return image;
}

} // namespace lsrecon
