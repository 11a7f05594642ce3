#pragma once

#include <vector>

#include "plan/chunks.hpp"
#include "plan/split.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::opencl {

/// How x -> -x pairs the voxels of a lattice. Columns of the separable product stand at x >= 0, or
/// at x + 1/2 when the lattice is halved: an even number of voxels has its middle between two of
/// them, x = (j + 1/2) - 1/2 and x = -(j + 1/2) - 1/2 are then a pair, no voxel is without a
/// partner, and exp(-i 2 pi k / 2) goes to the values.
struct LatticeColumns {
    explicit LatticeColumns(const Voxels& voxels);
    bool halved;
    std::size_t count; ///< one for each pair of voxels
    double offset() const { return halved ? 0.5 : 0.0; }
    /// Column of a voxel.
    std::size_t of(long x) const {
        return static_cast<std::size_t>(x >= 0 ? x : -x - (halved ? 1 : 0));
    }
};

/// The samples of a transform on a lattice as the separable kernels take them
/// (kernels/separable_factors.h), those with the largest values first: a scan may have its energy
/// in few samples, which then meet in short sums.
class LatticeSamples {
public:
    LatticeSamples(const std::vector<Vec3>& trajectory, const CoilMatrix& values,
                   const Voxels& voxels);
    std::size_t count() const { return order_.size(); }
    /// Where the i-th of them stands in the scan.
    std::size_t original(std::size_t i) const { return order_[i]; }
    /// exp(+i 2 pi k x) of sample m of the scan for the x of column 0: 1 unless the lattice is
    /// halved.
    Complex from_centre(std::size_t m) const;
    /// Floats of one sample.
    std::size_t floats() const { return 6 + 2 * rows(values_); }

    /// Arrays of `padded` floats, zeros from range.count on.
    void pack(const Range& range, std::size_t padded, std::vector<float>& packed) const;

private:
    const std::vector<Vec3>& trajectory_;
    const CoilMatrix& values_;
    Vec3 per_fov_;
    double offset_;
    SplitScale scale_;
    std::vector<std::size_t> order_;
};

} // namespace lsrecon::opencl
