#pragma once

#include "io/image_formats.hpp"

namespace lsrecon {

/// NotBuiltError when this build writes no NIfTI.
void require_nifti();

/// NIfTI-1 (.nii, .nii.gz) of float32 or complex64 [x, y, z, frame], in mm, with sform and qform in
/// RAS where the image knows its place and directions. Frames at evenly spaced parallel slices
/// become volumes.
void write_nifti(const StoredImage& image, const ImageOutput& output, Reporter& report);

} // namespace lsrecon
