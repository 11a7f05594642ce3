#include "plan/embedding.hpp"

#include <algorithm>

#include "base/ranges.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

namespace {

bool is_smooth(std::size_t length) {
    for (const std::size_t factor : {2, 3, 5, 7}) {
        while (length % factor == 0) {
            length /= factor;
        }
    }
    return length == 1;
}

} // namespace

Embedding::Embedding(const Grid& grid) : parities{{0, 0, 0}} {
    for (std::size_t d = 0; d < 3; ++d) {
        extents[d] = grid.size[d];
        while (!is_smooth(extents[d])) {
            ++extents[d];
        }
        if (grid.size[d] > 1) {
            const std::size_t even = parities.size();
            for (std::size_t i = 0; i < even; ++i) {
                parities.push_back(parities[i]);
                parities.back()[d] = 1;
            }
        }
    }
}

// In batches of equal size, as far as they can be.
std::size_t Embedding::batch(std::size_t maps, Precision precision) const {
    constexpr std::size_t most_bytes = std::size_t(1) << 26;
    const std::size_t bytes = points() * 2 * bytes_of(precision);
    const std::size_t affordable = std::max<std::size_t>(1, most_bytes / bytes);
    const std::size_t all = std::max<std::size_t>(maps, 1);
    return divide_up(all, divide_up(all, affordable));
}

SolverMemory solver_memory(const Grid& grid, std::size_t coil_maps, Precision precision,
                           std::size_t more_volumes, std::size_t terms) {
    const auto real = static_cast<double>(bytes_of(precision));
    const double complex = 2 * real;
    const double vectors = 4 + static_cast<double>(more_volumes); // x, r, p, A p; regularisers'
    const Embedding embedding(grid);
    const auto points = static_cast<double>(embedding.points());
    const double padded =
        points * complex * static_cast<double>(embedding.batch(coil_maps, precision));
    const double spectra = points * real * static_cast<double>(embedding.parities.size());
    const auto voxels = static_cast<double>(grid.voxels());
    const double maps =
        static_cast<double>(std::min(coil_maps, embedding.batch(coil_maps, precision))) * voxels *
        2 * bytes_of(Precision::float32);
    // Half of Q and a period are there only until the spectra are made, before the rest is.
    const double half = static_cast<double>(Voxels::half_differences(grid).count()) * complex;
    // Each term has spectra and phases.
    const auto count = static_cast<double>(terms);
    const double of_terms =
        padded + count * spectra + (terms > 1 ? (count + 2) * voxels * complex : 0);
    return {of_terms + std::max(half + points * complex, vectors * voxels * complex + maps),
            std::max({padded, spectra, half})};
}

} // namespace lsrecon
