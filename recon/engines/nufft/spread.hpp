// The sums of one tile of a NUFFT: samples are spread onto its points, and interpolated from them.

#pragma once

#include <vector>

#include "engines/nufft/samples.hpp"

namespace lsrecon {

/// The polynomials of a kernel: all points of a sample at once, in vectors. Zeros beyond its width.
template <typename Real> struct KernelTable {
    static constexpr std::size_t most = 16; ///< points

    explicit KernelTable(const SpreadingKernel& kernel);

    std::size_t width;
    std::size_t degree;
    std::vector<Real> points; ///< `most` coefficients for each power, the highest first
    std::vector<Real> pairs; ///< each of them twice
};

/// Coils that are done at a time, so that the kernel of a sample is computed once for them: their
/// values at a sample or a point are neighbours.
constexpr std::size_t most_coils = 8;

/// How points lie in memory: those of a tile alone, or of the whole fine grid.
struct PointShape {
    std::size_t row; ///< points from one row to the next
    std::size_t rows; ///< rows from one plane to the next
};

/// Samples of a tile, on 2 or 3 dimensions, of 1 coil, 4 or 8. `values` are theirs, in their sorted
/// order; `points` begin at the tile's corner.
template <typename Real> struct TileSamples {
    const KernelTable<Real>& kernel;
    const NufftSamples<Real>& samples;
    Range range;
    PointShape shape;
    std::size_t depth; ///< points of a kernel along z
    std::size_t coils;

    /// points += the kernels of the samples times their values.
    void spread(const std::complex<Real>* values, std::complex<Real>* points) const;
    /// values = the sums of points times the kernels.
    void interpolate(const std::complex<Real>* points, std::complex<Real>* values) const;
};

} // namespace lsrecon
