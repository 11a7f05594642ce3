// The samples of a NUFFT, sorted into tiles of the fine grid, with what each needs to be spread.

#pragma once

#include <cstdint>
#include <vector>

#include "base/machine.hpp"
#include "engines/nufft/kernel.hpp"
#include "scan/voxels.hpp"

namespace lsrecon {

/// Samples of a tile that are added to each other before their sum is added to the fine grid: few
/// enough for sums in floats, and for other cores not to wait for a tile with most of them.
constexpr std::size_t samples_of_a_part = 512;

/// Points along x beyond a kernel to which zeros are added: rows of kernels are whole vectors.
constexpr std::size_t points_beside_kernels = 7;

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

/// A fine grid in memory. Beyond its period it has the points of kernels that reach over the end,
/// so that a kernel is a box wherever it begins.
struct FineGrid {
    /// `arrays` values of each point are neighbours.
    FineGrid(const NufftGrid& grid, std::size_t arrays);

    std::array<std::size_t, 3> period; ///< points
    std::array<std::size_t, 3> padded; ///< points in memory
    std::size_t arrays;

    std::size_t row() const { return padded[0] * arrays; } ///< values from one to the next
    std::size_t plane() const { return row() * padded[1]; }
    std::size_t values() const { return plane() * padded[2]; }
};

/// Samples of a NUFFT on its fine grid, sorted once into tiles, so that sums have a fixed order.
template <typename Real> struct NufftSamples {
    /// The samples that a tile owns begin at `first`, and their kernels stay within `size` points
    /// from `corner` on.
    struct Tile {
        std::size_t first;
        std::size_t count;
        std::array<std::size_t, 3> corner;
        std::array<std::size_t, 3> size;
        int color; ///< tiles of one colour have no points in common
    };

    NufftSamples(const std::vector<Vec3>& positions, const Voxels& voxels, const NufftGrid& grid);

    LargeArray<std::uint32_t> order; ///< index of each sample in the scan
    /// By dimension, the first point of each kernel relative to its tile's corner, and how far the
    /// sample lies beyond it, less half a kernel: t = 2 offset - 1, in points.
    std::array<LargeArray<std::uint16_t>, 3> first_point;
    std::array<LargeArray<Real>, 3> t;
    std::vector<Tile> tiles; ///< tiles in the order of their colours
    /// exp(i 2 pi k c) of the middle c of the frequencies, by index in the scan; empty where that
    /// is 0.
    LargeArray<Complex> shifts;
};

} // namespace lsrecon
