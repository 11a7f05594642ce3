#include "io/raw_space.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "scan/header_numbers.hpp"

namespace lsrecon {

namespace {

bool same_in(std::size_t d, const Grid& grid, const RawSpace& space, int dimensions) {
    return static_cast<int>(d) >= dimensions ||
           (grid.size[d] == space.size[d] && are_same_length(grid.fov_mm[d], space.fov_mm[d]));
}

template <typename Space> std::string described(const Space& space) {
    return text("matrix ", by(space.size, 3), ", FOV ", by(space.fov_mm, 3), " mm");
}

} // namespace

ImageSpace image_space(const RawEncoding& encoding, bool lines, std::vector<std::string>& remarks) {
    ImageSpace image{encoding.grid};
    if (!encoding.recon) {
        return image;
    }
    const RawSpace& recon = *encoding.recon;
    const int dimensions = encoding.grid.dimensions;
    const auto same = [&](std::size_t d) { return same_in(d, image.grid, recon, dimensions); };
    const double encoded = static_cast<double>(encoding.grid.size[0]);
    const double shorter = std::round(encoded * recon.fov_mm[0] / encoding.grid.fov_mm[0]);
    const bool same_voxels = shorter == static_cast<double>(recon.size[0]) && same(1) && same(2);
    if (shorter >= 1 && shorter < encoded && (lines || same_voxels)) {
        image.factor[0] = shorter / encoded;
        image.grid.size[0] = static_cast<std::size_t>(shorter);
        const double fov = encoding.grid.fov_mm[0] * image.factor[0];
        image.grid.fov_mm[0] = are_same_length(fov, recon.fov_mm[0]) ? recon.fov_mm[0] : fov;
        image.factor[0] = image.grid.fov_mm[0] / encoding.grid.fov_mm[0];
        remarks.push_back(text("readouts are oversampled ", encoded / shorter, " times (encoded ",
                               described(encoding.grid), "): the image covers ",
                               described(image.grid)));
    }
    if (!(same(0) && same(1) && same(2))) {
        remarks.push_back("the image covers " +
                          std::string(image.oversampled() ? "that" : "the encoded space") + " (" +
                          described(image.grid) + "), not the reconstruction space (" +
                          described(recon) + "); --matrix and --fov-mm choose another");
    }
    return image;
}

} // namespace lsrecon
