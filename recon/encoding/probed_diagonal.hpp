// The diagonal of a covariance of images, by probes of random phases.

#pragma once

#include <functional>
#include <optional>

#include "base/report.hpp"
#include "base/types.hpp"
#include "device/device.hpp"

namespace lsrecon {

/// A linear map of images.
using LinearMap = std::function<ComplexVector(const ComplexVector&)>;

struct ProbedDiagonal {
    RealVector values; ///< N, 0 where no coil sees anything
    double error; ///< of their roots, relative, root mean square, before values are smoothed
    std::size_t products; ///< with the covariance
};

/// The diagonal of a Hermitian positive B, from at most so many products with it, 2 or more. None
/// where probes would be worse than as many replicas of noise: where one voxel's noise is that of
/// very many.
///
/// A probe v has random phases at the voxels of one colour and is 0 at the others, so that conj(v)
/// B v is the diagonal there, and B between voxels of one colour its error (Bekas, Kokiopoulou and
/// Saad 2007, Appl. Numer. Math. 57:1214). The diagonal is real: the imaginary part is as large as
/// the error of the real one. Colours are lattices, g.n modulo their number. Products with single
/// voxels show what B has between voxels, aliases too, and by it the best g and the fewest colours.
///
/// `size` is the grid, x fastest, or N x 1 x 1 for voxels of a list; `seen` is 0 at voxels where B
/// is, N.
std::optional<ProbedDiagonal> probed_diagonal(const LinearMap& b, const GridSize& size,
                                              const RealVector& seen, std::size_t most,
                                              Listener listener = {});

/// What products with so many probes take while they are kept, 0 where they are too large for it.
double bytes_of_products(std::size_t voxels, std::size_t probes);

} // namespace lsrecon
