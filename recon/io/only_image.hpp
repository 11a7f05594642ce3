#pragma once

#include <string>

#include "io/image_formats.hpp"

namespace lsrecon {

/// The one image of a file in any format that says how large it is (docs/formats.md).
struct OnlyImage {
    StoredImage about; ///< slices at several positions are a volume
    ImageValues values; ///< N, x fastest
    std::string sha256; ///< of its file; of a pair, of the hashes of both
};

/// InputError when the file is no such image, or has several frames, zeros alone or values that are
/// not finite. `name` is what the file is to be, "PRIOR", for the next step.
OnlyImage read_only_image(const std::string& path, const std::string& name);

} // namespace lsrecon
