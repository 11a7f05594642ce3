// What is found about a checked scan: how much of k-space it fills, and what was probably not
// intended.

#pragma once

#include "base/finding.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// The part of a grid's k-space that samples reach, as a grid of larger voxels on the same field of
/// view: a finer grid than was scanned asks for no more samples, it interpolates. A dimension in
/// which they reach less than a quarter of their largest reach is taken as reached as far: there
/// samples are missing.
Grid reached_by(const std::vector<const Trajectory*>& trajectories, Grid grid);

/// The share of the k-space of a grid that samples fill: of its cells of one cycle/fov within the
/// ellipsoid |k| <= N/2, those that hold a sample. About 1 at Nyquist's rate and 1 / R of a scan
/// that is undersampled R times. A weight of 0 leaves a sample out.
double coverage(const Trajectory& trajectory, const Grid& grid);

/// Below it an image is aliased without coil maps: half of the lines are missing, or more; with 5/8
/// of partial Fourier none is, and images are blurred at most.
constexpr double undersampled = 0.6;
/// Coil maps rarely make up for less: fourfold.
constexpr double undersampled_with_maps = 0.25;

/// Whether samples that fill this share of k-space are a readout or two, which no regulariser makes
/// an image of.
bool is_part_of_image(double coverage, const Grid& grid);

/// A scan fills its matrix: the largest |k| must reach N/4 in some dimension, or else its units or
/// its matrix are nearly always wrong, and the image is a blur. Dimensions of fewer than 8 voxels
/// say nothing about that, nor do samples that all lie at one point. InputError that shows how far
/// the trajectory would reach in every unit.
void require_reach(const Scan& scan);

/// What is in a checked scan that has no error but was probably not intended, or whose fault would
/// show only in the image: lengths in other units, voxels far away, a strong field.
Findings findings_on(const Scan& scan);

/// A trajectory that fills one dimension of the matrix and at most half of another: lines of an
/// accelerated scan that are numbered without gaps, or a low resolution.
Findings findings_on_reach(const Scan& scan);

/// Adds a field map whose phase is too small to see in the image.
void find_idle_field(const Scan& scan, Findings& findings);

/// Frames of too few samples for what all frames together reach of the scan's grid.
Findings findings_on_aliasing(const Scan& scan);

} // namespace lsrecon
