#include "io/maps_file.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/replacing_file.hpp"
#include "io/formats.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/writer.hpp"
#include "io/image/cfl.hpp"
#include "io/image/formats.hpp"
#include "io/native/grid.hpp"
#include "io/native/scan.hpp"
#include "io/record.hpp"

namespace lsrecon {

namespace {

const std::string format = "lsrecon-maps";
const char* const next = "name a file that 'lsrecon maps' wrote, or leave `maps` out";

[[noreturn]] void refuse_maps(const std::string& path, const std::string& found,
                              const std::string& expected) {
    throw InputError({path, "/coil_maps", found, expected, next});
}

void refuse_images(const std::string& path) {
    refuse_other_formats(path, "HDF5 with /coil_maps, or BART's pair",
                         "lsrecon convert " + shell_word(path) +
                             " -o MAPS.h5, and store its values as docs/formats.md shows");
}

void require_sound(const std::string& path, const std::string& thing, const StoredMaps& stored) {
    const double largest = stored.maps.largest_part();
    if (!std::isfinite(largest) || largest == 0) {
        throw InputError({path, thing, largest == 0 ? "only zeros" : "values that are not finite",
                          "finite maps", next});
    }
}

std::string in_record(const Hdf5Reader& file, const std::string& name) {
    return file.has_attribute("record", name) ? file.attribute_in_words("record", name) : "";
}

Hdf5Shape shape_of_maps(const Hdf5Reader& file) {
    if (!file.is_dataset("coil_maps")) {
        refuse_maps(file.path(), "no such dataset", "coil maps [C, (Z,) Y, X]");
    }
    return file.checked_shape("coil_maps", Hdf5Kind::complex);
}

} // namespace

void write_maps(const std::string& path, const StoredMaps& maps, const Record& record) {
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path);
    write_grid(file, maps.grid);
    file.attribute("/", "format", format);
    file.attribute("/", "version", 1L);
    native::Extents extents = native::grid_extents(maps.grid);
    extents.insert(extents.begin(), maps.maps.rows());
    file.complex64("coil_maps", extents, {&maps.maps});
    write_record(file, record);
    file.close();
    target.commit();
}

StoredMaps read_maps(const std::string& path, const Grid& like) {
    require_no_pipes(path);
    if (recognises_cfl(path)) {
        StoredMaps of_bart = read_cfl_maps(path, like);
        require_sound(path, "values", of_bart);
        return of_bart;
    }
    refuse_images(path);
    const Hdf5Reader file(path);
    file.start_hash();
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        refuse_maps(path, found, expected);
    };
    const Hdf5Shape shape = shape_of_maps(file);
    const auto dimensions = static_cast<std::size_t>(like.dimensions);
    const native::Extents of_coil(shape.extents.begin() + (shape.extents.empty() ? 0 : 1),
                                  shape.extents.end());
    if (!native::has_dimensions_of(like, of_coil)) {
        refuse(shape.to_string(), text("maps of ", dimensions, " dimensions, one a coil"));
    }
    StoredMaps result;
    result.grid = native::grid_of_volumes(file, "coil_maps", of_coil, like);
    if (native::grid_extents(result.grid) != of_coil) {
        refuse(shape.to_string(), "maps of " + shown(native::grid_extents(result.grid)) +
                                      " voxels, as the attribute matrix has them");
    }
    result.maps = Hdf5Values(file, "coil_maps")
                      .read_rows(shape.extents[0], shape.elements() / shape.extents[0]);
    result.sha256 = file.sha256();
    result.scan_sha256 = in_record(file, "scan_sha256");
    result.header_shift = in_record(file, "header_shift");
    require_sound(path, "/coil_maps", result);
    return result;
}

bool holds_maps_alone(const Hdf5Reader& file) {
    return file.has("coil_maps") && !file.has("image") && name_of_scan_format(file).empty();
}

StoredImage open_maps_as_image(const std::string& path) {
    Grid like; // with voxels of 1 mm, where the file says nothing
    const std::vector<std::size_t> extents = shape_of_maps(Hdf5Reader(path)).extents;
    like.dimensions = extents.size() == 4 ? 3 : 2;
    std::copy_n(extents.rbegin(), std::min<std::size_t>(3, extents.size()), like.fov_mm.begin());
    const auto stored = std::make_shared<const StoredMaps>(read_maps(path, like));
    StoredImage image;
    image.file = path;
    image.thing = "/coil_maps";
    image.of_coils = true;
    image.about.grid = stored->grid;
    image.about.frames.resize(stored->maps.rows());
    for (std::size_t c = 0; c < image.frames(); ++c) {
        image.about.frames[c].label = text("coil ", c);
    }
    image.values = [stored](std::size_t coil) {
        ImageValues values(stored->grid.voxels());
        for (std::size_t n = 0; n < values.size(); ++n) {
            values[n] = std::complex<float>(stored->maps(coil, n));
        }
        return values;
    };
    return image;
}

double bytes_of_maps(const std::string& path) {
    require_no_pipes(path);
    if (recognises_cfl(path)) {
        return bytes_of_cfl(path);
    }
    refuse_images(path);
    const Hdf5Shape shape = shape_of_maps(Hdf5Reader(path));
    return 2 * static_cast<double>(shape.elements() * shape.number_bytes);
}

} // namespace lsrecon
