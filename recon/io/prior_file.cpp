#include "io/prior_file.hpp"

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "io/image_reader.hpp"

namespace lsrecon {

StoredPrior read_prior(const std::string& path) {
    const auto file = std::make_shared<const Hdf5Reader>(path);
    file->start_hash();
    const StoredImage image = open_image_file(file);
    if (image.frames() != 1) {
        throw InputError({path, "/image", counted(image.frames(), "frame"), "one frame",
                          "write the one that belongs to the scan: lsrecon convert --frame"});
    }
    require_sound_values(image);
    const ImageValues values = image.values(0);
    StoredPrior prior;
    prior.grid = image.about.grid;
    prior.values = CoilRows(Eigen::Map<const CoilRows::Floats>(
        values.data(), 1, static_cast<Eigen::Index>(values.size())));
    prior.sha256 = file->sha256();
    return prior;
}

} // namespace lsrecon
