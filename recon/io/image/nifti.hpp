// Images in NIfTI-1, read and written.

#pragma once

#include "io/image/formats.hpp"

namespace lsrecon {

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
