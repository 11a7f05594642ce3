// The Shepp-Logan phantom, in the image and in k-space.
#pragma once

#include <utility>
#include <vector>

#include "base/types.hpp"
#include "scan/grid.hpp"

namespace lsrecon {

/// One ellipse (two dimensions) or ellipsoid (three) of constant intensity.
struct Ellipsoid {
    double intensity = 0; ///< added inside, a.u.
    Vec3 semi_axes{0, 0, 0}; ///< fields of view; z is not read in two dimensions
    Vec3 centre{0, 0, 0}; ///< fields of view
    double angle = 0; ///< rotation about z, from x towards y, radians
};

/// A sum of ellipses or ellipsoids, known exactly in the image and in k-space. Positions are in
/// fields of view, -1/2 to 1/2; k is in cycles per field of view.
class Phantom {
public:
    /// `dimensions` is 2 or 3, and that of the grids on which the phantom is drawn.
    Phantom(int dimensions, std::vector<Ellipsoid> parts)
        : dimensions_(dimensions), parts_(std::move(parts)) {}

    /// Modified Shepp-Logan phantom. Two dimensions: the contrast of Toft, "The Radon Transform:
    /// Theory and Implementation", thesis, Technical University of Denmark, 1996, table B.1. Three
    /// dimensions: the ellipsoids of Schabel, "3D Shepp-Logan phantom", MATLAB Central File
    /// Exchange 9416, 2006, each rotated about z alone, as in two dimensions.
    static Phantom shepp_logan(int dimensions);

    int dimensions() const { return dimensions_; }
    const std::vector<Ellipsoid>& parts() const { return parts_; }

    /// The phantom moved by so many fields of view.
    Phantom shifted(const Vec3& by) const;
    /// The largest |x| of any part, fields of view.
    double half_width() const;

    double intensity(const Vec3& x) const;

    /// Integral of intensity(x) exp(-i 2 pi k.x) over all x, in a.u. times FOV^D. Ellipse: Van de
    /// Walle et al. 2000, IEEE TMI 19:1160; ellipsoid: Koay et al. 2007, MRM 58:430.
    Complex kspace(const Vec3& k) const;

    /// Mean intensity over every voxel of the grid, N values, x fastest. The means of voxels that
    /// an outline crosses are approximate: all together are right to 0.5 % (relative L2).
    ComplexVector voxel_means(const Grid& grid) const;

    /// Sum of kspace(k) exp(+i 2 pi k.x) over whole k from -floor(N/2) in each dimension, at every
    /// voxel of the grid, N values, x fastest: what a Cartesian scan of the grid sees.
    ComplexVector band_limited(const Grid& grid) const;

private:
    int dimensions_;
    std::vector<Ellipsoid> parts_;
};

} // namespace lsrecon
