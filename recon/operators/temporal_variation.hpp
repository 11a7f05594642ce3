#pragma once

#include "operators/over_frames.hpp"

namespace lsrecon {

/// The proximal map of `length` times temporal total variation (Feng et al. 2014, Magn. Reson. Med.
/// 72:707): in every voxel the z of F values v that minimise
///
///     1/2 sum over f of |z(f) - v(f)|^2 + length sum over f < F of |z(f + 1) - z(f)|
///
/// within 1e-6 |v|, in double precision on all cores. The grid does not matter.
template <typename Real> FrameStack<Real>
temporal_variation_shortened(const Grid& grid, const FrameStack<Real>& frames, double length);

} // namespace lsrecon
