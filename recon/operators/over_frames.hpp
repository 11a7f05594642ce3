// Proximal maps of terms that couple the frames of a slice: locally low rank, and total variation
// in time.

#pragma once

#include <array>
#include <complex>
#include <vector>

#include "base/types.hpp"
#include "operators/proximal.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// Images of F frames on one grid in their order, N x F: a column each.
template <typename Real> using FrameStack =
    Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, Eigen::Dynamic>;

/// The proximal map of a term over all frames of a slice with K = 1, on the host.
class OverFrames : public Proximal {
public:
    /// The proximal map of `length` times phi.
    template <typename Real>
    using Map = FrameStack<Real> (*)(const Grid&, const FrameStack<Real>&, double length);

    /// `shortens_by` is the shortening for a length of 1.
    OverFrames(const Grid& grid, Map<float> of_floats, Map<double> of_doubles,
               double (*shortens_by)(const Grid& grid, std::size_t frames))
        : grid_(grid), of_floats_(of_floats), of_doubles_(of_doubles), shortens_by_(shortens_by) {}

    void apply(Device& device, const ProximalStep& step, std::vector<Array>& z) const override;
    void repeat(std::size_t images, std::size_t /*apart*/) override { images_ = images; }
    double shortening(std::size_t frames) const override { return shortens_by_(grid_, frames); }

private:
    template <typename Real>
    void apply(Map<Real> map, Device& device, double length, std::vector<Array>& z) const;

    Grid grid_;
    Map<float> of_floats_;
    Map<double> of_doubles_;
    double (*shortens_by_)(const Grid&, std::size_t);
    std::size_t images_ = 1; ///< of a frame
};

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

/// The proximal map of `length` times temporal total variation (Feng et al. 2014, Magn. Reson. Med.
/// 72:707): in every voxel the z of F values v that minimise
///
///     1/2 sum over f of |z(f) - v(f)|^2 + length sum over f < F of |z(f + 1) - z(f)|
///
/// within 1e-6 |v|, in double precision on all cores. The grid does not matter.
template <typename Real> FrameStack<Real>
temporal_variation_shortened(const Grid& grid, const FrameStack<Real>& frames, double length);

} // namespace lsrecon
