// Samples and columns of a transform on a lattice.

#pragma once

#include <vector>

#include "engines/opencl/resources.hpp"
#include "engines/pieces.hpp"
#include "scan/voxels.hpp"

namespace lsrecon::opencl {

/// The columns of a lattice whose voxels x -> -x pairs. Columns of the separable product stand at x
/// >= 0, or at x + 1/2 when the lattice is halved: an even number of voxels has its middle between
/// two of them, x = (j + 1/2) - 1/2 and x = -(j + 1/2) - 1/2 are then a pair, no voxel is without a
/// partner, and exp(-i 2 pi k / 2) goes to the values (kernels/separable_factors.h, turned).
struct LatticeColumns {
    explicit LatticeColumns(const Voxels& voxels);
    bool halved;
    std::size_t count; ///< one for each pair of voxels
    double offset() const { return halved ? 0.5 : 0.0; }
};

/// The samples of a transform on a lattice as the separable kernels take them
/// (kernels/separable_factors.h), on the device.
class LatticeSamples {
public:
    /// Uploads the positions in cycles per voxel; floats get a high and a low part. `sorted` orders
    /// them by radius, so that float sums add samples of similar size.
    LatticeSamples(const Resources& resources, const std::vector<Vec3>& positions,
                   const Voxels& voxels, bool sorted);

    /// The bytes of device memory that so many samples take.
    static std::size_t bytes(std::size_t samples, Precision precision);

    std::size_t count() const { return count_; }
    /// Length of the arrays: the samples, and room to fill the last chunk or block up to whole
    /// tiles.
    std::size_t stride() const { return stride_; }
    const Array& positions() const { return positions_; }

    /// The values of some coils, complex or, for one coil, real: `values` has a row a coil.
    Array packed(const Array& values, const Range& coils) const;

    /// The index of sample i of the arrays in the scan, for kernels that put results there; the
    /// buffer counts only when has_order() is 1.
    const cl::Buffer& order() const { return has_order() ? order_ : buffer_of(positions_); }
    cl_int has_order() const { return order_() != nullptr ? 1 : 0; }
    cl_int halved() const { return halved_ ? 1 : 0; }

private:
    Resources resources_;
    std::size_t count_;
    std::size_t stride_;
    cl::Buffer order_; ///< none for the order of the scan
    bool halved_;
    Array positions_;
};

/// The name of what is made of a trajectory for a lattice, in this precision.
std::string name_of(const Voxels& voxels, Precision precision);

} // namespace lsrecon::opencl
