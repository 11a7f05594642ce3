#include "io/prior_file.hpp"

#include "io/image/formats.hpp"

namespace lsrecon {

StoredPrior read_prior(const std::string& path) {
    const OnlyImage image = read_only_image(path, "PRIOR.h5");
    return {image.about.about.grid,
            CoilRows(Eigen::Map<const CoilRows::Floats>(
                image.values.data(), 1, static_cast<Eigen::Index>(image.values.size())))};
}

} // namespace lsrecon
