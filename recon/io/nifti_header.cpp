#include "io/nifti_header.hpp"

#ifdef LSRECON_WITH_NIFTI
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/directions.hpp"

namespace lsrecon {

namespace {

const char* const again = "write the image again, with nibabel for example";

[[noreturn]] void refuse(const std::string& file, const std::string& thing,
                         const std::string& found, const std::string& expected,
                         const std::string& next = again) {
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
        refuse(file, "xyzt_units", text(unit), "1 (m), 2 (mm) or 3 (micrometres)");
    }
}

/// From the affine of voxel indices, the inverse of how the writer makes it.
void place(const std::string& file, const mat44& affine, double mm, Grid& grid) {
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
    const bool finite = std::all_of(centre.begin(), centre.end(),
                                    [](double value) { return std::isfinite(value); });
    if (!finite || !orthonormal(directions)) {
        refuse(file, "affine", finite ? "axes that are not at right angles" : "no finite numbers",
               "three axes at right angles, as a grid has",
               "resample the image onto such a grid, with nibabel.processing.resample_to_output "
               "for example");
    }
    grid.position = centre;
    grid.directions = directions;
}

/// The library takes 0 for what is not finite, and turns any vector into a rotation.
void require_rotation(const std::string& file, const nifti_1_header& header) {
    const double square = std::pow(header.quatern_b, 2) + std::pow(header.quatern_c, 2) +
                          std::pow(header.quatern_d, 2);
    const bool known = std::isfinite(header.qoffset_x) && std::isfinite(header.qoffset_y) &&
                       std::isfinite(header.qoffset_z);
    if (!(square < 1.001) || !known) {
        refuse(file, "qform", known ? "a quaternion longer than 1" : "an offset that is not finite",
               "a rotation and an offset");
    }
}

} // namespace

ZnzFile opened_znz(const std::string& path) {
    return ZnzFile(znzopen(path.c_str(), "rb", 1));
}

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

NiftiHeader nifti_header_of(const std::string& path) {
    NiftiHeader header;
    nifti_1_header& fields = header.fields;
    if (!read_from(opened_znz(path), &fields, sizeof fields)) {
        return {};
    }
    int swapped = fields.sizeof_hdr;
    nifti_swap_4bytes(1, &swapped);
    header.swapped = swapped == sizeof fields || swapped == size_of_nifti_2;
    const char* const second = reinterpret_cast<const char*>(&fields) + sizeof(int);
    if ((header.swapped ? swapped : fields.sizeof_hdr) == size_of_nifti_2) {
        fields.sizeof_hdr = std::memcmp(second, "n+2", 4) == 0 || std::memcmp(second, "ni2", 4) == 0
                                ? size_of_nifti_2
                                : 0;
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

void require_sound_header(const std::string& file, const nifti_1_header& header) {
    if (header.sizeof_hdr != sizeof header) {
        refuse(file, "sizeof_hdr", "NIfTI-2", "NIfTI-1",
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
        refuse(file, "dim", found, "1 to 7 and so many sizes from 1",
               "see whether the file is damaged");
    }
    if (std::any_of(header.dim + 5, std::max(last, header.dim + 5),
                    [](short size) { return size > 1; })) {
        refuse(file, "dim", text(dimensions, " dimensions"), "up to 4: x, y, z and frames",
               "write a file for each index of the others, with nibabel or fslsplit for example");
    }
    if (!(header.vox_offset >= 0 && header.vox_offset <= 1e9F)) {
        refuse(file, "vox_offset", shown(header.vox_offset), "where the values begin, in bytes",
               "see whether the file is damaged");
    }
    const bool scaled = header.scl_slope != 0 && !std::isnan(header.scl_slope);
    if (scaled && (std::isinf(header.scl_slope) || !std::isfinite(header.scl_inter))) {
        refuse(file, "scl_slope and scl_inter",
               shown(header.scl_slope) + " and " + shown(header.scl_inter), "finite numbers");
    }
}

Grid nifti_grid_of(const std::string& file, const nifti_1_header& fields,
                   const nifti_image& header) {
    Grid grid;
    grid.size = {static_cast<std::size_t>(header.nx), static_cast<std::size_t>(header.ny),
                 static_cast<std::size_t>(header.nz)};
    grid.dimensions = header.nz > 1 ? 3 : 2;
    const double mm = mm_of(file, header.xyz_units);
    if (header.sform_code > 0) {
        place(file, header.sto_xyz, mm, grid);
        return grid;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        const float voxel = fields.pixdim[d + 1]; // the library takes 1 for 0
        const bool thickness = d >= static_cast<std::size_t>(grid.dimensions);
        if (!(voxel > 0 && std::isfinite(voxel)) && !thickness) {
            refuse(file, text("pixdim[", d + 1, "]"), shown(voxel), "a length above 0");
        }
        grid.fov_mm[d] = voxel > 0 ? mm * voxel * static_cast<double>(grid.size[d]) : 1;
    }
    if (header.qform_code > 0) {
        require_rotation(file, fields);
        place(file, header.qto_xyz, mm, grid);
    }
    return grid;
}

} // namespace lsrecon
#endif
