#pragma once

#include <vector>

#include "base/ranges.hpp"
#include "base/types.hpp"

namespace lsrecon {

/// The factor by which off-resonance changes the signal of a voxel n until a sample at time t:
///
///     exp(-(r_n + i 2 pi f_n) t)
///
/// Fessler et al. 2005, IEEE TSP 53(9), equation 3.
struct OffResonance {
    RealVector field; ///< f, N values in Hz
    RealVector r2star; ///< r, N values in 1/s, or empty for 0

    bool is_zero() const; ///< neither field nor decay
    OffResonance scaled(double factor) const { return {factor * field, r2star}; } ///< the field
    Complex rate(std::size_t n) const; ///< r + i 2 pi f
    OffResonance part(const Range& range) const;
    OffResonance subset(const std::vector<std::size_t>& indices) const;
};

/// The positions and times of samples, for a transform. It holds references, whose targets must
/// outlive it.
struct SamplePoints {
    /// Points without times, which only off-resonance needs.
    SamplePoints(const std::vector<Vec3>& points) : trajectory(points) {} // NOLINT: as an argument
    SamplePoints(const std::vector<Vec3>& points, const RealVector& at)
        : trajectory(points), times(at.size() > 0 ? &at : nullptr) {}

    std::size_t count() const { return trajectory.size(); }

    const std::vector<Vec3>& trajectory; ///< cycles per field of view
    const RealVector* times = nullptr; ///< s
};

} // namespace lsrecon
