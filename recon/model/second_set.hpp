// The second set of coil maps of an object that lies over itself, and whether a scan needs one.

#pragma once

#include "model/estimated_maps.hpp"

namespace lsrecon {

/// Whether the coils of a calibration see two images in a part of the field of view: connected
/// voxels where two eigenvalues are at least `crop`, and where second vectors explain most of what
/// the first leave. Of noise alone they explain as much as one of many directions can.
bool needs_second_set(const HermitianField& field, const Calibration& calibration, float crop);

/// Two sets of maps, C x 2N: S = [w1 v1, w1 w2 v2] U of two eigenvectors a voxel. U is the rotation
/// that leaves nothing of the first reference in the second set: vectors of equal eigenvalues are
/// any, and only their span is smooth. It changes neither what the sets explain nor ||rho||.
CoilRows::Floats two_sets(const Eigenvectors& first, const Eigen::ArrayXf& first_weights,
                          const Eigenvectors& second, const Eigen::ArrayXf& second_weights,
                          const Eigen::MatrixXcf& references);

} // namespace lsrecon
