// The points in space at which a transform is evaluated, and their off-resonance.

#pragma once

#include <memory>
#include <vector>

#include "base/ranges.hpp"
#include "base/types.hpp"
#include "scan/grid.hpp"

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
    SamplePoints(const std::vector<Vec3>& points) : positions(points) {} // NOLINT: as an argument
    SamplePoints(const std::vector<Vec3>& points, const RealVector& at)
        : positions(points), times(at.size() > 0 ? &at : nullptr) {}

    std::size_t count() const { return positions.size(); }

    const std::vector<Vec3>& positions; ///< cycles per field of view
    const RealVector* times = nullptr; ///< s
};

/// The points in space where a transform is evaluated: a lattice, or a list of positions anywhere.
class Voxels {
public:
    /// Every voxel of the grid, x fastest.
    static Voxels of_grid(const Grid& grid);

    /// Half of all differences of two voxels: the slowest dimension runs over 0..N-1, the others
    /// over -(N-1)..N-1. Q(-x) = conj Q(x) gives the other half.
    static Voxels half_differences(const Grid& grid);

    /// Positions in units of the field of view; `grid` gives only the length of a voxel.
    static Voxels at(const Grid& grid, std::vector<Vec3> positions);

    /// These voxels with off-resonance; null for none.
    Voxels in_field(std::shared_ptr<const OffResonance> off_resonance) const;
    /// The off-resonance of the voxels, in their order, or null.
    const std::shared_ptr<const OffResonance>& off_resonance() const { return off_resonance_; }

    /// Some of these voxels, as a list.
    Voxels subset(const std::vector<std::size_t>& indices) const;

    /// A range of them: whole planes of a lattice, whole rows of a single plane, any entries of a
    /// list.
    Voxels part(const Range& range) const;
    /// The number of voxels that part() cannot separate: a plane, a row or 1.
    std::size_t together() const;

    std::size_t count() const;
    bool on_lattice() const { return positions_ == nullptr; }

    /// Position in units of the field of view.
    Vec3 position(std::size_t n) const;
    /// Position in units of a voxel: whole numbers on a lattice.
    Vec3 in_voxels(std::size_t n) const;
    /// Largest |coordinate| of any voxel in each dimension, in units of a voxel; for a part of a
    /// lattice that of the whole, so that rounding is the same.
    Vec3 reach_in_voxels() const;
    /// The largest extent in any dimension, in voxels.
    double extent_in_voxels() const;
    /// The shape of a lattice: voxels in each dimension, and the position of the first in voxels.
    const std::array<std::size_t, 3>& lattice_size() const { return size_; }
    const std::array<long, 3>& lattice_first() const { return first_; }
    /// The shape of the lattice that part() took these voxels from.
    const std::array<std::size_t, 3>& whole_size() const { return whole_size_; }
    /// Index of the voxel of a lattice at 0.
    std::size_t origin() const;
    /// Voxels per field of view in each dimension.
    const Vec3& per_fov() const { return per_fov_; }

private:
    Vec3 per_fov_{1, 1, 1};
    std::array<std::size_t, 3> size_{1, 1, 1};
    std::array<long, 3> first_{0, 0, 0};
    std::array<std::size_t, 3> whole_size_{1, 1, 1};
    std::array<long, 3> whole_first_{0, 0, 0};
    std::shared_ptr<const std::vector<Vec3>> positions_;
    std::shared_ptr<const OffResonance> off_resonance_;
};

/// The off-resonance of a transform between these: null where the samples have no times or the
/// voxels no field, because one without the other has no effect.
inline const OffResonance* off_resonance_of(const SamplePoints& points, const Voxels& voxels) {
    return points.times != nullptr ? voxels.off_resonance().get() : nullptr;
}

/// The largest number of turns that a phase of a transform between these can take: the sum over
/// each dimension and the field.
double largest_turns(const SamplePoints& points, const Voxels& voxels);

} // namespace lsrecon
