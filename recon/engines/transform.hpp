// The interface of F for one trajectory and one set of voxels, which every engine implements.

#pragma once

#include <functional>

#include "device/array.hpp"

namespace lsrecon {

/// Called with the fraction that is done; may throw to stop the work.
using Progress = std::function<void(double)>;
inline const Progress unwatched = [](double) {};

/// F for one trajectory and one set of voxels, without phi:
///
///     forward  out_cm = sum_n rho_cn   exp(-i 2 pi k_m . x_n)
///     adjoint  out_cn = sum_m value_cm exp(+i 2 pi k_m . x_n)
///
/// on arrays of one device, a row of samples or of voxels a coil. The adjoint of mu is F^H d; that
/// of real values, w |phi|^2, at the differences of two voxels is Q. It keeps what it computed of
/// the trajectory, for the next call. Its device must outlive it.
class Transform {
public:
    virtual ~Transform() = default;
    virtual std::size_t samples() const = 0;
    virtual std::size_t voxels() const = 0;

    virtual void forward(const Array& rho, Array& out, const Progress& progress = unwatched) = 0;
    virtual void adjoint(const Array& values, Array& out, const Progress& progress = unwatched) = 0;

    /// Bound of the relative L2 error of either, over many points.
    virtual double forward_error() const = 0;
    virtual double adjoint_error() const = 0;
};

} // namespace lsrecon
