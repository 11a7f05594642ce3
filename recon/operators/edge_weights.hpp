#pragma once

#include "scan/grid.hpp"
#include "scan/prior_image.hpp"

namespace lsrecon {

/// Weights of the differences of neighbours by the edges of another image of the object: where its
/// magnitude changes by `step` from voxel n to the next one along d,
///
///     w_d(n) = 1 / (1 + (step / scale)^2),    scale = half the root mean square of its steps
///
/// (Perona and Malik 1990, equation 8, with the scale from the image itself), 1 at the end of the
/// grid; a component of N a dimension. The penalty sum of w_d(n) |difference|^2 is the quadratic
/// one of Haldar et al. 2008 and Stone et al. 2008: smooth within tissues, not across their
/// borders. InputError when the image has no edges.
RealVector edge_weights(const PriorImage& prior, const Grid& grid);

} // namespace lsrecon
