// Reads and writes NIfTI-1 by niftilib: checks the header, converts the affine between RAS and LPS,
// and leaves zlib to the library.

#include "io/image/formats.hpp"

#include "base/error.hpp"

#ifdef LSRECON_WITH_NIFTI
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <nifti1_io.h>

#include "base/input_file.hpp"
#include "base/numbers.hpp"
#include "base/output_file.hpp"
#include "base/version.hpp"
#include "io/image/stored.hpp"
#include "io/record.hpp"
#include "scan/host_memory.hpp"
#include "scan/pose.hpp"

namespace lsrecon {

namespace {

struct CloseZnz {
    void operator()(znzFile file) const { znzclose(file); }
};
/// A file of the library, compressed or not.
using ZnzFile = std::unique_ptr<znzptr, CloseZnz>;

using NiftiImage = std::unique_ptr<nifti_image, decltype(&nifti_image_free)>;

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

void set_affine(nifti_image& header, const Grid& grid, Reporter& report) {
    header.qform_code = header.sform_code = NIFTI_XFORM_UNKNOWN;
    if (!grid.position || !grid.directions) {
        report.add({Found::no_position_for_nifti});
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
    set_affine(*header, grid, report);
    const std::string what =
        text("lsrecon ", version, " ", image_part_names()[static_cast<std::size_t>(part)]);
    what.copy(header->descrip, sizeof header->descrip - 1);
    const std::string unit =
        part == ImagePart::phase ? "" : value_in(image.about.record, image_unit);
    unit.copy(header->intent_name, sizeof header->intent_name - 1);
    return nifti_convert_nim2nhdr(header.get());
}

/// Writes at most 1 GB at a time: zlib takes ints.
void write_to(const ZnzFile& file, const std::string& name, const void* from, std::size_t bytes) {
    const char* next = static_cast<const char*>(from);
    while (bytes > 0) {
        const std::size_t now = std::min<std::size_t>(bytes, 1 << 30);
        errno = 0;
        if (znzwrite(next, 1, now, file.get()) != now) {
            fail_to_write(name, errno);
        }
        next += now;
        bytes -= now;
    }
}

const char* const write_with_nibabel = "write the image again, with nibabel for example";

[[noreturn]] void refuse_nifti(const std::string& file, const std::string& thing,
                               const std::string& found, const std::string& expected,
                               const std::string& next = write_with_nibabel) {
    throw InputError({file, thing, found, expected, next});
}

constexpr int size_of_nifti_2 = 540;

double mm_of(const std::string& file, int unit) {
    switch (unit) {
    case NIFTI_UNITS_UNKNOWN:
    case NIFTI_UNITS_MM:
        return 1;
    case NIFTI_UNITS_METER:
        return 1000;
    case NIFTI_UNITS_MICRON:
        return 1e-3;
    default:
        refuse_nifti(file, "xyzt_units", text(unit), "1 (m), 2 (mm) or 3 (micrometres)");
    }
}

/// Reads the pose from the affine of voxel indices, the inverse of how the writer makes it.
void read_pose(const std::string& file, const mat44& affine, double mm, Grid& grid) {
    std::array<Vec3, 3> directions{};
    Vec3 centre{};
    for (std::size_t row = 0; row < 3; ++row) {
        const double sign = (row < 2 ? -1 : 1) * mm; // of RAS against LPS
        centre[row] = sign * affine.m[row][3];
        for (std::size_t d = 0; d < 3; ++d) {
            directions[d][row] = sign * affine.m[row][d];
            centre[row] += directions[d][row] * static_cast<double>(grid.size[d] / 2);
        }
    }
    for (std::size_t d = 0; d < 3; ++d) {
        const double voxel = std::sqrt(dot(directions[d], directions[d]));
        grid.fov_mm[d] = voxel * static_cast<double>(grid.size[d]);
        for (double& part : directions[d]) {
            part /= voxel;
        }
    }
    const bool finite = is_finite(centre);
    if (!finite || !orthonormal(directions)) {
        refuse_nifti(
            file, "affine", finite ? "axes that are not at right angles" : "no finite numbers",
            "three axes at right angles, as a grid has",
            "resample the image onto such a grid, with nibabel.processing.resample_to_output "
            "for example");
    }
    grid.position = centre;
    grid.directions = directions;
}

struct NiftiHeader {
    nifti_1_header fields{}; ///< fields in this machine's order of bytes
    bool swapped = false; ///< whether the file has the other one
};

/// zlib hands on what is not compressed as it is. Null where the system refuses.
ZnzFile opened_znz(const std::string& path) {
    return ZnzFile(znzopen(path.c_str(), "rb", 1));
}

/// All of so many bytes, at most 1 GB at a time: zlib takes ints.
bool read_from(const ZnzFile& file, void* to, std::size_t bytes) {
    char* next = static_cast<char*>(to);
    bool whole = file != nullptr;
    while (whole && bytes > 0) {
        const std::size_t now = std::min<std::size_t>(bytes, 1 << 30);
        whole = znzread(next, 1, now, file.get()) == now;
        next += now;
        bytes -= now;
    }
    return whole;
}

/// The header of a file. Its sizeof_hdr is 0 where the file has none, and not that of NIfTI-1 in a
/// file of NIfTI-2.
NiftiHeader nifti_header_of(const std::string& path) {
    NiftiHeader header;
    nifti_1_header& fields = header.fields;
    if (!read_from(opened_znz(path), &fields, sizeof fields)) {
        return {};
    }
    int swapped = fields.sizeof_hdr;
    nifti_swap_4bytes(1, &swapped);
    header.swapped = swapped == sizeof fields;
    if (swapped == size_of_nifti_2 || fields.sizeof_hdr == size_of_nifti_2) {
        fields.sizeof_hdr = size_of_nifti_2;
        return header;
    }
    if (header.swapped) {
        swap_nifti_header(&fields, 1);
    }
    if (fields.sizeof_hdr != sizeof fields || NIFTI_VERSION(fields) != 1) {
        fields.sizeof_hdr = 0;
    }
    return header;
}

/// InputError for what is no NIfTI-1, for more dimensions than four, and for numbers that the
/// library would mend in silence.
void require_sound_header(const std::string& file, const nifti_1_header& header) {
    if (header.sizeof_hdr != sizeof header) {
        refuse_nifti(file, "sizeof_hdr", "NIfTI-2", "NIfTI-1",
                     "write it as NIfTI-1, with nibabel.Nifti1Image for example");
    }
    const short dimensions = header.dim[0];
    const short* const last = header.dim + 1 + std::clamp<short>(dimensions, 0, 7);
    if (dimensions < 1 || dimensions > 7 ||
        std::any_of(header.dim + 1, last, [](short size) { return size < 1; })) {
        std::string found;
        for (const short size : header.dim) {
            found += text(found.empty() ? "" : " ", size);
        }
        refuse_nifti(file, "dim", found, "1 to 7 dimensions, each of size 1 or more",
                     "see whether the file is damaged");
    }
    if (std::any_of(header.dim + 5, std::max(last, header.dim + 5),
                    [](short size) { return size > 1; })) {
        refuse_nifti(
            file, "dim", text(dimensions, " dimensions"), "up to 4: x, y, z and frames",
            "write a file for each index of the others, with nibabel or fslsplit for example");
    }
}

/// Sizes, lengths in mm, and the pose where the file says it: from sform, or else from qform.
/// InputError for other units and for axes that are not at right angles.
Grid nifti_grid_of(const std::string& file, const nifti_1_header& fields,
                   const nifti_image& header) {
    Grid grid;
    grid.size = {static_cast<std::size_t>(header.nx), static_cast<std::size_t>(header.ny),
                 static_cast<std::size_t>(header.nz)};
    grid.dimensions = header.nz > 1 ? 3 : 2;
    const double mm = mm_of(file, header.xyz_units);
    if (header.sform_code > 0) {
        read_pose(file, header.sto_xyz, mm, grid);
        return grid;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        const float voxel = fields.pixdim[d + 1]; // the library takes 1 for 0
        const bool thickness = d >= static_cast<std::size_t>(grid.dimensions);
        if (!(voxel > 0 && std::isfinite(voxel)) && !thickness) {
            refuse_nifti(file, text("pixdim[", d + 1, "]"), shown(voxel), "a length above 0");
        }
        grid.fov_mm[d] = voxel > 0 ? mm * voxel * static_cast<double>(grid.size[d]) : 1;
    }
    if (header.qform_code > 0) {
        read_pose(file, header.qto_xyz, mm, grid);
    }
    return grid;
}

std::size_t numbers_a_value(const nifti_image& header) {
    return header.datatype == DT_COMPLEX64 || header.datatype == DT_COMPLEX128 ? 2 : 1;
}

template <typename Stored> float scaled(const nifti_image& header, const char* from) {
    Stored stored;
    std::memcpy(&stored, from, sizeof stored);
    if (header.scl_slope == 0) {
        return static_cast<float>(stored);
    }
    return static_cast<float>(header.scl_slope * static_cast<double>(stored) +
                              static_cast<double>(header.scl_inter));
}

using ToFloat = float (*)(const nifti_image& header, const char* from);

/// Null for what is no number, or one that this machine has not.
ToFloat to_float_of(int datatype) {
    switch (datatype) {
    case DT_UINT8:
        return &scaled<std::uint8_t>;
    case DT_INT8:
        return &scaled<std::int8_t>;
    case DT_UINT16:
        return &scaled<std::uint16_t>;
    case DT_INT16:
        return &scaled<std::int16_t>;
    case DT_UINT32:
        return &scaled<std::uint32_t>;
    case DT_INT32:
        return &scaled<std::int32_t>;
    case DT_UINT64:
        return &scaled<std::uint64_t>;
    case DT_INT64:
        return &scaled<std::int64_t>;
    case DT_FLOAT32:
    case DT_COMPLEX64:
        return &scaled<float>;
    case DT_FLOAT64:
    case DT_COMPLEX128:
        return &scaled<double>;
    default:
        return nullptr;
    }
}

/// The values of frame after frame. One that is asked for again is read again.
class Values {
public:
    Values(const std::string& path, NiftiImage header, bool swapped)
        : source_(path), file_(opened_znz(path)), header_(std::move(header)), swapped_(swapped) {}

    ImageValues operator()(std::size_t frame) const {
        const auto bytes_each = static_cast<std::size_t>(header_->nbyper);
        std::vector<char> bytes(voxels() * bytes_each);
        const std::size_t at = begin() + frame * bytes.size();
        if (!file_ || znzseek(file_.get(), static_cast<znz_off_t>(at), SEEK_SET) < 0 ||
            !read_from(file_, bytes.data(), bytes.size()) ||
            (frame + 1 == frames() && !ends_well())) {
            throw InputError({source_.path(), text("values of frame ", frame),
                              "it is cut off or damaged", "all values that the header declares",
                              "copy the file again: it is not whole"});
        }
        source_.require_unchanged();
        const std::size_t numbers = numbers_a_value(*header_);
        const std::size_t number_bytes = bytes_each / numbers;
        if (swapped_) {
            nifti_swap_Nbytes(bytes.size() / number_bytes, static_cast<int>(number_bytes),
                              bytes.data());
        }
        const ToFloat to_float = to_float_of(header_->datatype);
        ImageValues values(voxels());
        for (std::size_t n = 0; n < values.size(); ++n) {
            const char* const value = bytes.data() + n * bytes_each;
            values[n] = {to_float(*header_, value),
                         numbers == 2 ? to_float(*header_, value + number_bytes) : 0.0F};
        }
        return values;
    }

private:
    std::size_t voxels() const {
        return static_cast<std::size_t>(header_->nx) * static_cast<std::size_t>(header_->ny) *
               static_cast<std::size_t>(header_->nz);
    }
    std::size_t frames() const { return static_cast<std::size_t>(header_->nt); }
    std::size_t begin() const { return static_cast<std::size_t>(header_->iname_offset); }

    /// zlib compares its checksum at the end, and says only on closing that the end is missing.
    bool ends_well() const {
        std::array<char, 4096> rest{};
        std::size_t read = rest.size();
        while (read == rest.size()) {
            read = znzread(rest.data(), 1, rest.size(), file_.get());
        }
        znzFile whole = file_.release();
        const bool closed = znzclose(whole) == 0;
        file_ = opened_znz(source_.path()); // frames may be asked for again
        return closed && read < rest.size();
    }

    InputFile source_;
    mutable ZnzFile file_;
    NiftiImage header_;
    bool swapped_;
};

/// Whether a name, without .gz, is that of half of a pair.
bool is_half_of_pair(const std::string& path) {
    const std::string ending = ending_of(path);
    if (ending == "gz") {
        return is_half_of_pair(path.substr(0, path.size() - 3));
    }
    return ending == "hdr" || ending == "img";
}

std::string taken(char* name, const std::string& otherwise) {
    const std::unique_ptr<char, decltype(&std::free)> owner(name, &std::free);
    return name == nullptr ? otherwise : name;
}

} // namespace

void require_nifti() {}

void write_nifti(const StoredImage& frames, const ImageOutput& output, Reporter& report) {
    const StoredImage image = with_slices_stacked(frames);
    require_sizes(image, std::numeric_limits<short>::max(), "NIfTI-1");
    const Grid& grid = image.about.grid;
    if (grid.dimensions != frames.about.grid.dimensions) {
        report.info(
            text(grid.size[2], " slices, ", grid.fov_mm[2] / static_cast<double>(grid.size[2]),
                 " mm apart, are the third dimension; ", counted(image.frames(), "volume")));
    }
    const auto of_stack = image.findings.begin() + static_cast<long>(frames.findings.size());
    report.add(Findings(of_stack, image.findings.end()));
    if (has_no_thickness(grid)) {
        report.add({Found::thickness_assumed, {}, {{"format", "NIfTI"}}});
    }
    const nifti_1_header header = header_of(image, output.part, report);
    ReplacingFile target(output.path);
    errno = 0;
    ZnzFile file(znzopen(target.path().c_str(), "wb", ending_of(output.path) == "nii.gz" ? 1 : 0));
    if (!file) {
        fail_to_write(output.path, errno);
    }
    write_to(file, output.path, &header, sizeof header);
    constexpr char no_extension[4] = {};
    write_to(file, output.path, no_extension, sizeof no_extension);
    for (std::size_t f = 0; f < image.frames(); ++f) {
        const ImageValues values = image.values(f);
        if (output.part == ImagePart::complex) {
            write_to(file, output.path, values.data(), values.size() * sizeof values.front());
        } else {
            const std::vector<float> part = real_part(output.part, values);
            write_to(file, output.path, part.data(), part.size() * sizeof part.front());
        }
    }
    errno = 0;
    znzFile whole = file.release();
    if (znzclose(whole) != 0) { // what is still to be compressed is written only now
        fail_to_write(output.path, errno);
    }
    target.commit();
}

std::vector<std::string> nifti_files(const std::string& path) {
    if (!is_half_of_pair(path)) {
        return {path};
    }
    nifti_set_debug_level(0); // it prints
    const std::string header = taken(nifti_findhdrname(path.c_str()), path);
    return {header, taken(nifti_findimgname(header.c_str(), NIFTI_FTYPE_NIFTI1_2), path)};
}

bool recognises_nifti(const std::string& path) {
    return nifti_header_of(nifti_files(path).front()).fields.sizeof_hdr != 0;
}

StoredImage open_nifti(const std::string& path, const ImageInput& input) {
    require_own_pose(path, "NIfTI-1", input);
    nifti_set_debug_level(0);
    const std::string file = nifti_files(path).front();
    const NiftiHeader header = nifti_header_of(file);
    require_sound_header(file, header.fields);
    if (to_float_of(header.fields.datatype) == nullptr) {
        throw InputError({file, "datatype",
                          text(header.fields.datatype, " (",
                               nifti_datatype_to_string(header.fields.datatype), ")"),
                          "whole numbers, floats or complex numbers, of up to 64 bits each",
                          "write the image as one of them, with nibabel for example"});
    }
    NiftiImage parsed(nifti_convert_nhdr2nim(header.fields, nullptr), &nifti_image_free);
    if (!parsed) {
        throw InputError({file, "header", "niftilib cannot use it", "NIfTI-1",
                          "see whether the file is damaged"});
    }
    const bool one_file = NIFTI_ONEFILE(header.fields) != 0;
    if (!one_file && !is_half_of_pair(path)) {
        throw InputError({file, "magic", "the header of a pair of files", "NAME.hdr and NAME.img",
                          "give the two files these names"});
    }
    StoredImage image;
    image.file = one_file ? file : nifti_files(path).back();
    image.thing = "values";
    image.about.grid = nifti_grid_of(file, header.fields, *parsed);
    if (!image.about.grid.directions) {
        image.findings.push_back({Found::no_position_in_nifti});
    }
    image.about.frames.resize(static_cast<std::size_t>(parsed->nt));
    image.part = numbers_a_value(*parsed) == 1 ? ImagePart::real : ImagePart::complex;
    HostMemory memory;
    memory.add("values", by(image.about.grid.size, 3) + " voxels",
               Cost::on_host(static_cast<double>(image.voxels()) *
                             static_cast<double>(sizeof(std::complex<float>) +
                                                 static_cast<std::size_t>(parsed->nbyper))));
    memory.require(file);
    const auto values =
        std::make_shared<const Values>(image.file, std::move(parsed), header.swapped);
    image.values = [values](std::size_t frame) { return (*values)(frame); };
    return image;
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

std::vector<std::string> nifti_files(const std::string& path) {
    return {path};
}

/// The name has to do without the library, for the message that NIfTI is not built in.
bool recognises_nifti(const std::string& path) {
    const std::string ending = ending_of(path);
    return ending == "nii" || ending == "nii.gz";
}

StoredImage open_nifti(const std::string&, const ImageInput&) {
    require_nifti();
    return {};
}

} // namespace lsrecon

#endif
