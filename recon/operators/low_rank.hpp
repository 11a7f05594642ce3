#pragma once

#include <array>
#include <vector>

#include "operators/over_frames.hpp"

namespace lsrecon {

/// Voxels of a patch in each dimension, where the grid has as many: 8 x 8 or 4 x 4 x 4.
std::array<std::size_t, 3> patch_size(const Grid& grid);

/// The number of tilings of the grid by patches, each shifted by half a patch in some of the
/// dimensions that are longer than one.
std::size_t tilings(const Grid& grid);

/// A tiling's patches: the voxels of each. Those at the edges of the grid are smaller where the
/// shift or the size cuts them; none wraps around.
std::vector<std::vector<Eigen::Index>> patches_of(const Grid& grid, std::size_t tiling);

/// The penalty of "locally low rank" in one tiling (Trzasko and Manduca 2011, Proc. ISMRM 19:4371):
/// the nuclear norms, sums of singular values, of the patches' Casorati matrices, P voxels x F
/// frames each,
///
///     sum over patches of (sqrt(P) + sqrt(F)) norm_*(C)
///
/// The largest singular value of noise of deviation sigma alone is near sigma (sqrt(P) + sqrt(F)):
/// with this factor a weight means the same for patches of any size and any number of frames.
///
/// Adds `share` of the proximal map of `length` times that to `sum`: every singular value of a
/// patch becomes smaller by length (sqrt(P) + sqrt(F)), down to 0. They and their vectors are those
/// of a Gram matrix in double precision, on all cores; two runs give the same bits. ToleranceError
/// when they do not converge, as of values that are not finite.
template <typename Real> void add_shortened(const Grid& grid, std::size_t tiling,
                                            const FrameStack<Real>& frames, double length,
                                            double share, FrameStack<Real>& sum);

/// sqrt(P) + sqrt(F) of a whole patch.
double shortening_by_length(const Grid& grid, std::size_t frames);

/// The mean over all tilings of these proximal maps. It is again the proximal map of one convex
/// function, the proximal average (Bauschke et al. 2008, SIAM J. Optim. 19:766), so that what is
/// iterated with it converges, and shows no edges of patches.
template <typename Real> FrameStack<Real>
low_rank_shortened(const Grid& grid, const FrameStack<Real>& frames, double length);

} // namespace lsrecon
