// The part of k-space that each sample stands for, and the ways to it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scan/scan.hpp"

namespace lsrecon {

/// The part of k-space that each sample stands for, M: its area or volume in cells of one cycle per
/// field of view, 1 for a full Cartesian scan. Density compensation (docs/maths.md#gridding).
struct Density {
    RealVector cells;
    std::string method; ///< method in words, for the record
    Findings findings = {}; ///< what they do to the image
};

/// A method of density compensation, by its word after --density.
struct DensityMethod {
    std::string name;
    std::string summary;
    /// UsageError where it cannot serve these samples.
    Density (*of)(const Trajectory& trajectory, const Grid& grid);
};

/// The table: a row each, the default first.
const std::vector<DensityMethod>& density_methods();

/// Positions in units in which voxels are cubes, so that a round k-space is round.
struct CubicUnits {
    CubicUnits(std::vector<Vec3> positions, const Grid& grid);
    std::vector<Vec3> k;
    double period; ///< period of the grid, along each dimension
    double cells; ///< cells of one cycle per field of view, in a square or cube of 1
};

/// Spokes through or from the centre, whole or of a partial echo, and spirals outward or inward,
/// recognised by their positions: the angle of each readout times its steps of r^D / D. In 3D also
/// planes of them along z. None for others.
std::optional<RealVector> analytic_cells(const std::vector<Vec3>& positions, const Grid& grid);

/// Pipe and Menon 1999, MRM 41:179: w <- w / (C C^T w), from w = 1, scaled to cells. C spreads
/// samples onto half cells of the grid, which is periodic as an image of voxels is in k. Where
/// samples are sparse each stands for one cell, and not for the gap to the next.
RealVector pipe_menon_cells(const std::vector<Vec3>& positions, const Grid& grid);

/// The multiple of weights by which an object comes out as bright as it is: a triangle as wide as
/// half of the field of view in each dimension, whose energy is at low frequencies. It is at
/// most the multiple with which the samples together stand for all of k-space.
RealVector scaled_to_cells(const std::vector<Vec3>& positions, const Grid& grid,
                           const RealVector& weights);

/// Voronoi areas or volumes, within the disc or ball of the samples unless they fill the corners;
/// samples at one point share its cell. NotBuiltError without Voro++ (Rycroft 2009, Chaos
/// 19:041111).
RealVector voronoi_cells(const std::vector<Vec3>& positions, const Grid& grid);

} // namespace lsrecon
