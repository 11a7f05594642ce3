// Stacks the slices of a field map, and writes it as HDF5 or NIfTI.

#include "io/field_file.hpp"

#include <functional>
#include <limits>
#include <memory>

#include "base/named_files.hpp"
#include "base/output_file.hpp"
#include "io/beside.hpp"
#include "io/hdf5/writer.hpp"
#include "io/image/formats.hpp"
#include "io/native/grid.hpp"
#include "io/native/scan.hpp"

namespace lsrecon {

namespace {

/// One number of a voxel of a slice.
using OfVoxel = std::function<double(const EchoField& field, std::size_t voxel)>;

double field_of(const EchoField& field, std::size_t voxel) {
    return field.field(static_cast<Eigen::Index>(voxel));
}

/// Slices as frames of an image.
StoredImage image_of(const EchoFieldMap& map, const OfVoxel& of_voxel) {
    StoredImage image;
    image.thing = "slices";
    image.part = ImagePart::real;
    image.about.grid = map.grid;
    for (const SliceField& slice : map.slices) {
        ImageFrame frame;
        frame.label = slice.label;
        frame.position = slice.position;
        image.about.frames.push_back(std::move(frame));
    }
    image.values = [&map, of_voxel](std::size_t slice) {
        ImageValues values(map.grid.voxels());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(of_voxel(map.slices[slice].of, i));
        }
        return values;
    };
    return image;
}

/// All slices as one volume. InputError where nothing says how they lie.
StoredImage one_volume(const EchoFieldMap& map, const OfVoxel& of_voxel) {
    StoredImage image = with_slices_stacked(image_of(map, of_voxel));
    if (image.frames() != 1) {
        throw InputError({image.file, "slices of the field map",
                          text(image.frames(), " that do not say where they lie"),
                          "positions of slices that are parallel",
                          "make the map of each slice by itself, with `slice`"});
    }
    return image;
}

} // namespace

StoredVolumes stacked(const EchoFieldMap& map) {
    const StoredImage image = one_volume(map, &field_of);
    const ImageValues values = image.values(0);
    return {image.about.grid, CoilRows(Eigen::Map<const CoilRows::Floats>(
                                  values.data(), 1, static_cast<Eigen::Index>(values.size())))};
}

bool holds_field_alone(const Hdf5Reader& file) {
    return file.has("field_map") && file.has("record") && name_of_scan_format(file).empty();
}

StoredImage open_field_as_image(const std::string& path) {
    Grid like; // with voxels of 1 mm, where the file says nothing
    like.dimensions = Hdf5Reader(path).shape("field_map").extents.size() == 3 ? 3 : 2;
    const auto stored =
        std::make_shared<const StoredVolumes>(read_volumes(field_map_beside, path, like));
    StoredImage image;
    image.file = path;
    image.thing = "/field_map";
    image.part = ImagePart::real;
    image.about.grid = stored->grid;
    image.about.frames.resize(1);
    image.values = [stored](std::size_t) {
        ImageValues values(stored->grid.voxels());
        for (std::size_t n = 0; n < values.size(); ++n) {
            values[n] = std::complex<float>(stored->values(0, n));
        }
        return values;
    };
    return image;
}

bool is_nifti_name(const std::string& path) {
    const std::string ending = ending_of(path);
    return ending == "nii" || ending == "nii.gz";
}

void write_field_map(const std::string& path, const EchoFieldMap& map, const Record& record,
                     Reporter& report) {
    if (is_nifti_name(path)) {
        ImageOutput output;
        output.path = path;
        output.part = ImagePart::real;
        write_nifti(image_of(map,
                             [](const EchoField& field, std::size_t voxel) {
                                 return field.mask[voxel]
                                            ? field_of(field, voxel)
                                            : std::numeric_limits<double>::quiet_NaN();
                             }),
                    output, report);
        return;
    }
    ReplacingFile target(path);
    Hdf5Writer file(target.path(), path);
    const auto write = [&](const std::string& name, const std::string& units,
                           const OfVoxel& of_voxel) {
        const StoredImage image = one_volume(map, of_voxel);
        const ImageValues values = image.values(0);
        std::vector<double> reals;
        for (const std::complex<float>& value : values) {
            reals.push_back(value.real());
        }
        file.real(name, native::grid_extents(image.about.grid), reals.data(), Precision::float32);
        if (!units.empty()) {
            file.attribute(name, "units", units);
        }
        return image.about.grid;
    };
    write_grid(file, write("field_map", "Hz", &field_of));
    write("mask", "",
          [](const EchoField& field, std::size_t voxel) { return field.mask[voxel] ? 1 : 0; });
    write("deviation", "Hz", [](const EchoField& field, std::size_t voxel) {
        return field.deviation(static_cast<Eigen::Index>(voxel));
    });
    file.attribute("/", "format", "lsrecon-field");
    file.attribute("/", "version", 1L);
    write_record(file, record);
    file.close();
    target.commit();
}

} // namespace lsrecon
