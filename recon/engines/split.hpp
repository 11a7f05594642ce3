// Coordinates in two floats, by which single precision keeps all digits of the phase k.u.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lsrecon {

/// Trajectory points and voxel positions in two floats a coordinate, so that the phase k.u of a
/// pair keeps full precision in single arithmetic for a matrix of any size:
///
///   u in voxels:           u = high + low, high whole, |low| <= 1/2 (0 on a lattice)
///   k in cycles a voxel:   k = high + low, high a multiple of 2^-s, |low| <= 2^-(s+1)
///
/// Each product high * high is a multiple of 2^-s; the sum of n of them, 3 or with off-resonance 4,
/// stays below 2^24 of them when
///
///   n * 0.525 * U * 2^s < 2^24   for |k| <= 0.525 (checked on input) and |u| <= U
///
/// so it is exact in floats in any order, with or without fused multiply-adds. Its half turns are
/// taken off without error. What is left, n U 2^-(s+1) turns and the low parts of u, is below 2
/// turns up to U = 2048, and the phase is right to about 2^-24 turns; a single float a coordinate
/// would lose 2^-24 U turns. Beyond, for off-grid points far outside the field of view, the error
/// grows as 2^-24 (U / 2048)^2 turns.
class SplitScale {
public:
    /// The scale for voxel coordinates up to `extent_in_voxels`, n of them.
    explicit SplitScale(double extent_in_voxels, int n = 3)
        : extent_(std::max(extent_in_voxels, 1.0)), n_(n),
          bits_(static_cast<int>(std::floor(24 - std::log2(n * 0.525 * extent_)))),
          scale_(std::ldexp(1.0, bits_)) {}

    struct Parts {
        float high;
        float low;
    };
    Parts positions(double cycles_per_voxel) const {
        // Adding and subtracting rounds to whole numbers, as rint does, in vectors of any
        // processor.
        constexpr double no_fraction = 1.5 * (std::uint64_t(1) << 52);
        const double high = ((cycles_per_voxel * scale_ + no_fraction) - no_fraction) / scale_;
        return {static_cast<float>(high), static_cast<float>(cycles_per_voxel - high)};
    }
    static Parts voxel(double in_voxels) {
        const double high = std::rint(in_voxels);
        return {static_cast<float>(high), static_cast<float>(in_voxels - high)};
    }

    /// s of the text above.
    int bits() const { return bits_; }

    /// Turns that are left beside the exact part of a phase on a lattice, n U 2^-(s+1).
    double largest_rest() const { return std::ldexp(n_ * extent_, -(bits_ + 1)); }

private:
    double extent_;
    int n_;
    int bits_;
    double scale_; ///< 2^bits
};

} // namespace lsrecon
