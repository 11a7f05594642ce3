#include "io/only_image.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/numbers.hpp"
#include "base/sha256.hpp"
#include "io/slice_stack.hpp"

namespace lsrecon {

OnlyImage read_only_image(const std::string& path, const std::string& name) {
    const ImageFormat& format = format_of_input(path);
    if (format.kind == FileKind::cfl) {
        throw InputError({path, "file", format.summary, "an image that says how large it is",
                          "lsrecon convert " + path + " -o " + name + " --fov-mm X,Y[,Z]"});
    }
    std::vector<std::unique_ptr<InputFile>> files;
    for (const std::string& file : format.files(path)) {
        files.push_back(std::make_unique<InputFile>(file));
        files.back()->start_hash();
    }
    OnlyImage only{with_slices_stacked(format.open(path, {})), {}, {}};
    const StoredImage& image = only.about;
    if (image.frames() != 1) {
        throw InputError({path, image.thing, counted(image.frames(), "frame"), "one frame",
                          "write the one that belongs to the scan: lsrecon convert --frame"});
    }
    require_sound_values(image);
    only.values = image.values(0);
    only.sha256 = files.front()->sha256();
    if (files.size() > 1) {
        Sha256 pair;
        for (const auto& file : files) {
            pair.add(file->sha256());
        }
        only.sha256 = pair.hex();
    }
    return only;
}

} // namespace lsrecon
