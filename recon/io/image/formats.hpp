// The table of image formats: the endings that choose a format, and the functions that read and
// write it.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/named_files.hpp"
#include "base/report.hpp"
#include "io/image/stored.hpp"
#include "io/preview.hpp"

namespace lsrecon {

/// Options of reading an image from a file that leaves some facts open.
struct ImageInput {
    /// The field of view of a file without a geometry; empty: voxels of 1 mm. One length a
    /// dimension.
    std::vector<double> fov_mm;
    /// The dataset of an image file: "image", or "noise_map" or "g_factor", whose numbers are real.
    std::string dataset = "image";
};

struct ImageOutput {
    std::string path;
    ImagePart part = ImagePart::complex; ///< one of the format's
    GreyScale grey{}; ///< greys of a picture; its part is `part`
    std::vector<std::pair<std::string, std::string>> record{}; ///< record of a file that keeps one
};

/// One way in which an image can be stored: one row of the table.
struct ImageFormat {
    std::string name; ///< name after --to
    std::string summary;
    /// Endings that choose it for an output; the first is the usual one.
    std::vector<std::string> endings;
    FileKind kind;
    /// The parts that the format can hold; the first unless --part says another.
    std::vector<ImagePart> parts;
    /// NotBuiltError when this build cannot write it.
    void (*require_built)();
    /// The files that an output or an input of this name consists of.
    std::vector<std::string> (*files)(const std::string& path);
    /// Writes all files or none; every value is sound. InputError when the format cannot hold the
    /// image, or the system refuses a file. Notes the facts of the image that the file does not
    /// hold.
    void (*write)(const StoredImage& image, const ImageOutput& output, Reporter& report);

    /// Whether the file's content, never its name, is of this format; null for a format that is
    /// only written.
    bool (*recognises)(const std::string& path);
    StoredImage (*open)(const std::string& path, const ImageInput& input);
};

const std::vector<ImageFormat>& image_formats();

/// The name of the row of this program's own files.
constexpr const char* image_file_format = "hdf5";

/// The format of a file that is an image in another format than this program's own; else null.
const ImageFormat* other_format_of(const std::string& path);

/// InputError when the file is an image in another format than this program's own.
void refuse_other_formats(const std::string& path, const std::string& expected,
                          const std::string& next);

/// The format of an output: `name` where it is not "", else that of the path's ending. UsageError
/// when there is none.
const ImageFormat& format_of_output(const std::string& path, const std::string& name);

/// UsageError for flags that this format has no use for: its files say where the image is, and hold
/// one image.
void require_own_pose(const std::string& path, const std::string& format, const ImageInput& input);

/// The format of a file that is there. InputError when no format knows it.
const ImageFormat& format_of_input(const std::string& path);

/// NotBuiltError when this build has no NIfTI.
void require_nifti();

/// NIfTI-1 (.nii, .nii.gz) of float32 or complex64 [x, y, z, frame], in mm, with sform and qform in
/// RAS where the image knows its position and directions. Frames at evenly spaced parallel slices
/// become volumes.
void write_nifti(const StoredImage& image, const ImageOutput& output, Reporter& report);

/// The file itself; the header and the values where it is one of a pair .hdr and .img, each of
/// which may be compressed.
std::vector<std::string> nifti_files(const std::string& path);

/// Whether the file begins as NIfTI does, compressed or not, in either order of bytes.
bool recognises_nifti(const std::string& path);

/// NIfTI-1 of numbers, scaled as it says: the pose is that of sform, or else of qform, from RAS
/// to LPS and in mm; the fourth dimension are frames. InputError when there are more dimensions,
/// axes that are not at right angles, values of another kind, or fewer than it declares.
StoredImage open_nifti(const std::string& path, const ImageInput& input);

} // namespace lsrecon
