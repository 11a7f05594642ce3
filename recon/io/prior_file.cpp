#include "io/prior_file.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/numbers.hpp"
#include "base/sha256.hpp"
#include "io/image_formats.hpp"

namespace lsrecon {

StoredPrior read_prior(const std::string& path) {
    const ImageFormat& format = format_of_input(path);
    if (format.kind == FileKind::cfl) {
        throw InputError({path, "file", format.summary, "an image that says how large it is",
                          "lsrecon convert " + path + " -o PRIOR.h5 --fov-mm X,Y[,Z]"});
    }
    std::vector<std::unique_ptr<InputFile>> files;
    for (const std::string& file : format.files(path)) {
        files.push_back(std::make_unique<InputFile>(file));
        files.back()->start_hash();
    }
    const StoredImage image = format.open(path, {});
    if (image.frames() != 1) {
        throw InputError({path, image.thing, counted(image.frames(), "frame"), "one frame",
                          "write the one that belongs to the scan: lsrecon convert --frame"});
    }
    require_sound_values(image);
    const ImageValues values = image.values(0);
    StoredPrior prior;
    prior.grid = image.about.grid;
    prior.values = CoilRows(Eigen::Map<const CoilRows::Floats>(
        values.data(), 1, static_cast<Eigen::Index>(values.size())));
    prior.sha256 = files.front()->sha256();
    if (files.size() > 1) {
        Sha256 pair;
        for (const auto& file : files) {
            pair.add(file->sha256());
        }
        prior.sha256 = pair.hex();
    }
    return prior;
}

} // namespace lsrecon
