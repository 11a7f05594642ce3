#include "scan/map_previews.hpp"

#include <algorithm>
#include <cmath>

#include "scan/scan.hpp"

namespace lsrecon {

MapPreviews previews_of_maps(const Scan& scan, std::optional<std::size_t> frame) {
    const CoilRows& maps = scan.coil_maps;
    if (maps.empty() || scan.voxels) {
        return {};
    }
    const auto& [nx, ny, nz] = scan.grid.size;
    const std::size_t step = (std::max(nx, ny) - 1) / MapPreviews::most_voxels + 1;
    const std::array<std::size_t, 2> size{(nx - 1) / step + 1, (ny - 1) / step + 1};
    const std::size_t coils = std::min(maps.rows(), MapPreviews::most_coils);
    CoilRows::Floats values(coils, size[0] * size[1]);
    for (std::size_t c = 0; c < coils; ++c) {
        Eigen::Index n = 0;
        for (std::size_t y = 0; y < ny; y += step) {
            for (std::size_t x = 0; x < nx; x += step) {
                values(static_cast<Eigen::Index>(c), n++) =
                    std::complex<float>(maps(c, (nz / 2 * ny + y) * nx + x));
            }
        }
    }
    const auto slice = scan.grid.dimensions == 3 ? std::optional(nz / 2) : std::nullopt;
    MapPreviews previews{std::move(values), size, step, maps.rows(), slice, frame};
    const double largest = previews.values.largest_part();
    return std::isfinite(largest) && largest > 0 ? previews : MapPreviews();
}

} // namespace lsrecon
