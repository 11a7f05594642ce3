#include "io/only_image.hpp"

#include "base/error.hpp"
#include "base/escaped.hpp"
#include "base/hashed_files.hpp"
#include "base/numbers.hpp"
#include "io/slice_stack.hpp"

namespace lsrecon {

OnlyImage read_only_image(const std::string& path, const std::string& name) {
    const ImageFormat& format = format_of_input(path);
    if (format.kind == FileKind::cfl) {
        throw InputError(
            {path, "file", format.summary, "an image that says how large it is",
             "lsrecon convert " + shell_word(path) + " -o " + name + " --fov-mm X,Y[,Z]"});
    }
    HashedFiles files(format.files(path));
    OnlyImage only{with_slices_stacked(format.open(path, {})), {}, {}};
    const StoredImage& image = only.about;
    if (image.frames() != 1) {
        throw InputError({path, image.thing, counted(image.frames(), "frame"), "one frame",
                          "write the one that belongs to the scan: lsrecon convert --frame"});
    }
    require_sound_values(image);
    only.values = image.values(0);
    only.sha256 = files.sha256();
    return only;
}

} // namespace lsrecon
