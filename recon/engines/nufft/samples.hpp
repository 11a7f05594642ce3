#pragma once

#include <vector>

#include "engines/nufft/kernel.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Samples of a tile that are added to each other before their sum is added to the fine grid: few
/// enough for sums in floats, and for other cores not to wait for a tile with most of them.
constexpr std::size_t samples_of_a_part = 512;

/// exp(i 2 pi k c) of the middle c of the frequencies, which a NUFFT has at 0.
class MiddlePhases {
public:
    explicit MiddlePhases(const Voxels& voxels);
    bool given() const { return given_; } ///< false where it is at 0 already
    Complex of(const Vec3& k) const;

private:
    Vec3 per_fov_;
    Vec3 middle_{};
    bool given_ = false;
};

/// Samples of a NUFFT on its fine grid, sorted once into tiles, so that sums have a fixed order.
struct NufftSamples {
    /// The samples that a tile owns begin at `first`, and their kernels stay within `size` points
    /// from `corner` on, modulo the fine grid.
    struct Tile {
        std::size_t first;
        std::size_t count;
        std::array<std::size_t, 3> corner;
        std::array<std::size_t, 3> size;
        int color; ///< tiles of one colour have no points in common
    };

    NufftSamples(const std::vector<Vec3>& trajectory, const Voxels& voxels, const NufftGrid& grid);

    std::vector<std::size_t> order; ///< place of each sample in the scan
    /// First point of each kernel relative to its tile's corner, and how far the sample lies beyond
    /// it in points, less half a kernel: in [0, 1). By dimension.
    std::array<std::vector<unsigned>, 3> first_point;
    std::array<std::vector<double>, 3> offset;
    std::vector<Tile> tiles; ///< tiles in the order of their colours
    int colors = 0;
    /// exp(i 2 pi k c) of the middle c of the frequencies; empty where that is 0.
    std::vector<Complex> shifts;
};

} // namespace lsrecon
