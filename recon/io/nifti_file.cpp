#include "io/nifti_file.hpp"

#include "base/error.hpp"
#include "io/nifti_header.hpp"

#ifdef LSRECON_WITH_NIFTI
#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <memory>

#include "base/numbers.hpp"
#include "base/replacing_file.hpp"
#include "base/version.hpp"
#include "base/write_failure.hpp"
#include "io/slice_stack.hpp"

namespace lsrecon {

namespace {

/// Voxel indices to mm; the patient's x and y of NIfTI point to the right and to the front, those
/// of LPS to the left and to the back.
mat44 affine_of(const Grid& grid) {
    mat44 affine{};
    const Vec3 first = centre_of_first_voxel(grid);
    for (std::size_t row = 0; row < 3; ++row) {
        const double sign = row < 2 ? -1 : 1;
        for (std::size_t d = 0; d < 3; ++d) {
            const double voxel = grid.fov_mm[d] / static_cast<double>(grid.size[d]);
            affine.m[row][d] = static_cast<float>(sign * voxel * (*grid.directions)[d][row]);
        }
        affine.m[row][3] = static_cast<float>(sign * first[row]);
    }
    affine.m[3][3] = 1;
    return affine;
}

void place(nifti_image& header, const Grid& grid, Reporter& report) {
    header.qform_code = header.sform_code = NIFTI_XFORM_UNKNOWN;
    if (!grid.position || !grid.directions) {
        report.note("the image does not say where it lies in the patient, so neither does the "
                    "NIfTI file: sform_code and qform_code are 0");
        return;
    }
    header.qform_code = header.sform_code = NIFTI_XFORM_SCANNER_ANAT;
    header.sto_xyz = affine_of(grid);
    nifti_mat44_to_quatern(header.sto_xyz, &header.quatern_b, &header.quatern_c, &header.quatern_d,
                           &header.qoffset_x, &header.qoffset_y, &header.qoffset_z, nullptr,
                           nullptr, nullptr, &header.qfac);
}

nifti_1_header header_of(const StoredImage& image, ImagePart part, Reporter& report) {
    const NiftiImage header(nifti_simple_init_nim(), &nifti_image_free);
    const Grid& grid = image.about.grid;
    const bool complex = part == ImagePart::complex;
    const std::array<std::size_t, 4> size{grid.size[0], grid.size[1], grid.size[2], image.frames()};
    const int dimensions = size[3] > 1 ? 4 : 3;
    header->dim[0] = dimensions;
    for (std::size_t d = 0; d < 4; ++d) {
        header->dim[d + 1] = static_cast<int>(size[d]);
        const double mm = d < 3 ? grid.fov_mm[d] / static_cast<double>(size[d]) : 1;
        header->pixdim[d + 1] = static_cast<float>(mm);
    }
    nifti_update_dims_from_array(header.get());
    header->ndim = header->dim[0] = dimensions; // which it counts without those of 1
    header->datatype = complex ? DT_COMPLEX64 : DT_FLOAT32;
    nifti_datatype_sizes(header->datatype, &header->nbyper, &header->swapsize);
    header->nifti_type = NIFTI_FTYPE_NIFTI1_1;
    header->xyz_units = NIFTI_UNITS_MM;
    header->iname_offset = 352; // one file: the header, and 4 bytes that say "no extension"
    place(*header, grid, report);
    const std::string what =
        text("lsrecon ", version, " ", image_part_names()[static_cast<std::size_t>(part)]);
    what.copy(header->descrip, sizeof header->descrip - 1);
    return nifti_convert_nim2nhdr(header.get());
}

/// A file of the library that compresses where that is wanted.
class Stream {
public:
    Stream(const std::string& path, std::string name, bool compressed)
        : name_(std::move(name)), file_(znzopen(path.c_str(), "wb", compressed ? 1 : 0)) {
        if (znz_isnull(file_)) {
            fail_to_write(name_, errno);
        }
    }
    ~Stream() { znzclose(file_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void write(const void* from, std::size_t bytes) {
        // zlib takes at most 4 GB at a time.
        constexpr std::size_t at_most = 1 << 30;
        const char* next = static_cast<const char*>(from);
        while (bytes > 0) {
            const std::size_t now = std::min(bytes, at_most);
            errno = 0;
            if (znzwrite(next, 1, now, file_) != now) {
                fail_to_write(name_, errno);
            }
            next += now;
            bytes -= now;
        }
    }

    /// What is still to be compressed, or in a buffer, is written only now.
    void close() {
        errno = 0;
        if (znzclose(file_) != 0) {
            fail_to_write(name_, errno);
        }
    }

private:
    std::string name_;
    znzFile file_;
};

} // namespace

void require_nifti() {}

void write_nifti(const StoredImage& frames, const ImageOutput& output, Reporter& report) {
    const StoredImage image = with_slices_stacked(frames);
    require_sizes(image, std::numeric_limits<short>::max(), "NIfTI-1");
    const Grid& grid = image.about.grid;
    if (grid.dimensions != frames.about.grid.dimensions) {
        report.tell(
            text(grid.size[2], " slices, ", grid.fov_mm[2] / static_cast<double>(grid.size[2]),
                 " mm apart, are the third dimension; ", counted(image.frames(), "volume")));
    }
    if (has_no_thickness(grid)) {
        report.note("the image has no slice thickness; the NIfTI file says 1 mm");
    }
    const nifti_1_header header = header_of(image, output.part, report);
    ReplacingFile target(output.path);
    Stream stream(target.path(), output.path, ending_of(output.path) == "nii.gz");
    stream.write(&header, sizeof header);
    constexpr char no_extension[4] = {};
    stream.write(no_extension, sizeof no_extension);
    for (std::size_t f = 0; f < image.frames(); ++f) {
        const ImageValues values = image.values(f);
        if (output.part == ImagePart::complex) {
            stream.write(values.data(), values.size() * sizeof values.front());
        } else {
            const std::vector<float> part = real_part(output.part, values);
            stream.write(part.data(), part.size() * sizeof part.front());
        }
    }
    stream.close();
    target.commit();
}

} // namespace lsrecon

#else

namespace lsrecon {

void require_nifti() {
    throw NotBuiltError("NIfTI files are not built in\n  next:     configure with "
                        "-DLSRECON_WITH_NIFTI=ON, or choose another format");
}

void write_nifti(const StoredImage&, const ImageOutput&, Reporter&) {
    require_nifti();
}

} // namespace lsrecon

#endif
