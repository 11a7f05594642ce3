#pragma once

#include <vector>

#include "engines/nufft/samples.hpp"

namespace lsrecon {

/// The polynomials of a kernel: all points of a sample at once, in vectors. Zeros beyond its width.
template <typename Real> struct KernelTable {
    static constexpr std::size_t most = 16; ///< points; an even number of them is computed

    explicit KernelTable(const SpreadingKernel& kernel);

    std::size_t width;
    std::size_t degree;
    std::vector<Real> coefficients; ///< `most` for each power, the highest first
};

/// Coils that are done at a time, so that the kernel of a sample is computed once for them: their
/// values at a sample or a point are neighbours.
constexpr std::size_t most_coils = 8;

/// The points of a tile and what its kernels reach, in rows of x that whole kernels fit into.
struct TileShape {
    explicit TileShape(const NufftSamples::Tile& tile)
        : row(tile.size[0] + 1), rows(tile.size[1]), points(row * tile.size[1] * tile.size[2]) {}
    std::size_t row;
    std::size_t rows; ///< of a plane
    std::size_t points;
};

/// Samples of a tile, on 2 or 3 dimensions, of one coil or most_coils. `values` are theirs, in their
/// sorted order.
template <typename Real> class TileSamples {
public:
    TileSamples(const KernelTable<Real>& kernel, const NufftSamples& samples, const Range& range,
                const TileShape& shape, std::size_t depth, std::size_t coils)
        : kernel_(kernel), samples_(samples), range_(range), shape_(shape), depth_(depth),
          coils_(coils) {}

    /// points += the kernels of the samples times their values.
    void spread(const std::complex<Real>* values, std::complex<Real>* points) const;
    /// values = the sums of points times the kernels.
    void interpolate(const std::complex<Real>* points, std::complex<Real>* values) const;

private:
    const KernelTable<Real>& kernel_;
    const NufftSamples& samples_;
    Range range_;
    const TileShape& shape_;
    std::size_t depth_; ///< points of a kernel along z
    std::size_t coils_;
};

} // namespace lsrecon
