#include "io/image/png.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "io/preview.hpp"

#ifdef LSRECON_WITH_PNG
#include <png.h>

namespace lsrecon {

void require_png() {}

void write_png(const std::string& path, const Image& image, const FrameValues& values,
               const GreyScale& grey) {
    const Picture picture = make_preview(image, values, grey);
    ReplacingFile target(path);
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(picture.width);
    png.height = static_cast<png_uint_32>(picture.height);
    png.format = PNG_FORMAT_GRAY;
    if (png_image_write_to_file(&png, target.path().c_str(), 0, picture.grey.data(), 0, nullptr) ==
        0) {
        throw InputError(
            {path, "preview", png.message,
             "a PNG of " + std::to_string(picture.width) + " columns that can be written",
             "free some space or name another output"});
    }
    target.commit();
}

} // namespace lsrecon

#else

namespace lsrecon {

void require_png() {
    throw NotBuiltError("PNG pictures are not built in\n  next:     configure with "
                        "-DLSRECON_WITH_PNG=ON, or do without pictures");
}

void write_png(const std::string&, const Image&, const FrameValues&, const GreyScale&) {
    require_png();
}

} // namespace lsrecon

#endif
