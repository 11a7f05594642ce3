// The table of image formats, and the choice of one by the ending of an output or the content of an
// input.

#include "io/image/formats.hpp"

#include <array>
#include <fstream>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/field_file.hpp"
#include "io/image/cfl.hpp"
#include "io/image/file.hpp"
#include "io/image/stored.hpp"
#include "io/ismrmrd/formats.hpp"
#include "io/maps_file.hpp"
#include "io/preview.hpp"

namespace lsrecon {

namespace {

void always_built() {}

std::vector<std::string> the_file(const std::string& path) {
    return {path};
}

/// The signature of the format's specification, which may come after a block of the user's.
bool is_hdf5(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::array<char, 8> begin{};
    for (const std::streamoff at : {0, 512, 1024, 2048}) {
        stream.seekg(at);
        if (!stream.read(begin.data(), begin.size())) {
            return false;
        }
        if (std::string(begin.data(), begin.size()) == "\x89HDF\r\n\x1a\n") {
            return true;
        }
    }
    return false;
}

bool recognises_image_file(const std::string& path) {
    return is_hdf5(path) && !holds_mrd_images(path);
}

bool recognises_mrd_images(const std::string& path) {
    return is_hdf5(path) && holds_mrd_images(path);
}

StoredImage open_hdf5(const std::string& path, const ImageInput& input) {
    if (!input.fov_mm.empty()) {
        throw UsageError({path, "`fov_mm`", "an image file that holds its field of view",
                          "a file without a field of view", "leave it out"});
    }
    const auto file = std::make_shared<const Hdf5Reader>(path);
    const bool maps = input.dataset == "image" && holds_maps_alone(*file);
    if (!maps && holds_field_alone(*file)) {
        return open_field_as_image(path);
    }
    if (input.dataset == "image" && !maps && file->has("fhd")) {
        return open_fhd_file(file);
    }
    return maps ? open_maps_as_image(path) : open_image_file(file, input.dataset);
}

void write_hdf5(const StoredImage& image, const ImageOutput& output, Reporter&) {
    Image about = image.about;
    about.record = output.record;
    write_image(output.path, about, image.voxels(), image.values);
}

void write_picture(const StoredImage& image, const ImageOutput& output, Reporter& report) {
    const auto& size = image.about.grid.size;
    report.add(lay_out_preview(size[0], size[1], size[2] * image.frames()).left_out());
    GreyScale grey = output.grey;
    grey.part = output.part;
    write_png(output.path, image.about, image.values, grey);
}

} // namespace

const std::vector<ImageFormat>& image_formats() {
    using P = ImagePart;
    const std::vector<P> pictures{P::magnitude, P::phase, P::real, P::imaginary};
    const std::vector<P> any{P::magnitude, P::phase, P::real, P::imaginary, P::complex};
    static const std::vector<ImageFormat> table{
        {image_file_format,
         "image file of lsrecon",
         {"h5", "hdf5", "hdf"},
         FileKind::hdf5,
         {P::complex},
         &always_built,
         &the_file,
         &write_hdf5,
         &recognises_image_file,
         &open_hdf5},
        {"nifti",
         "NIfTI-1",
         {"nii", "nii.gz"},
         FileKind::nifti,
         any,
         &require_nifti,
         &nifti_files,
         &write_nifti,
         &recognises_nifti,
         &open_nifti},
        {"cfl",
         "BART's pair .cfl and .hdr",
         {"cfl", "hdr"},
         FileKind::cfl,
         {P::complex},
         &always_built,
         &cfl_files,
         &write_cfl,
         &recognises_cfl,
         &open_cfl},
        {"ismrmrd",
         "ISMRMRD images",
         {"mrd"},
         FileKind::hdf5,
         {P::complex, P::magnitude, P::phase, P::real, P::imaginary},
         &always_built,
         &the_file,
         &write_mrd_images,
         &recognises_mrd_images,
         &open_mrd_images},
        {"png",
         "picture of slices and frames",
         {"png"},
         FileKind::png,
         pictures,
         &require_png,
         &the_file,
         &write_picture,
         nullptr,
         nullptr},
    };
    return table;
}

const ImageFormat& format_of_output(const std::string& path, const std::string& name) {
    if (const ImageFormat* const format = row_of_output(image_formats(), path, name)) {
        return *format;
    }
    if (!name.empty()) {
        throw UsageError({"", "`to`", name, "one of " + comma_separated(names_of(image_formats())),
                          "name one of them"});
    }
    const std::string ending = ending_of(path);
    const bool dicom = ending == "dcm" || ending == "ima";
    throw UsageError(
        {path, "`output`", ending.empty() ? "a name without an ending" : "the ending ." + ending,
         "an ending that says the format",
         dicom ? "write ISMRMRD images (-o NAME.mrd) and convert them to DICOM with another program"
               : "add `to` with one of " + comma_separated(names_of(image_formats()))});
}

const ImageFormat* other_format_of(const std::string& path) {
    require_no_pipes(path);
    for (const ImageFormat& format : image_formats()) {
        const bool other = format.recognises != nullptr && format.name != image_file_format;
        if (other && format.recognises(path)) {
            return &format;
        }
    }
    return nullptr;
}

void refuse_other_formats(const std::string& path, const std::string& expected,
                          const std::string& next) {
    if (const ImageFormat* const format = other_format_of(path)) {
        throw InputError({path, "file", format->summary, expected, next});
    }
}

void require_own_pose(const std::string& path, const std::string& format, const ImageInput& input) {
    if (input.dataset != "image") {
        throw UsageError({path, "`map`", format, "an image file of lsrecon", "leave the flag out"});
    }
    if (!input.fov_mm.empty()) {
        throw UsageError({path, "`fov_mm`", format + ", which holds its field of view",
                          "a file without a field of view", "leave it out"});
    }
}

const ImageFormat& format_of_input(const std::string& path) {
    require_no_pipes(path);
    for (const ImageFormat& format : image_formats()) {
        if (format.recognises != nullptr && format.recognises(path)) {
            return format;
        }
    }
    require_input(path, "IN");
    throw InputError({path, "IN", "none of the formats that are read",
                      "an image file of lsrecon, NIfTI-1, ISMRMRD images, or BART's NAME.cfl and "
                      "NAME.hdr",
                      "name such a file; dcm2niix converts DICOM to NIfTI-1"});
}

} // namespace lsrecon
