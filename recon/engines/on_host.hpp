// Transforms from host to host, and the factors that samples are multiplied by before them.

#pragma once

#include "device/device.hpp"
#include "engines/transforms.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// conj(phi_m) w_m on a device: samples times these are Mu, mu_cm = conj(phi_m) w_m d_cm (Stone et
/// al. 2008, equation for F^H d). In single precision they are relative to a power of two.
class MuFactors {
public:
    MuFactors(Device& device, Precision precision, const Trajectory& trajectory)
        : MuFactors(device, precision, trajectory.phi, trajectory.weights) {}
    /// `phi` and `weights` have M values each, or none for 1.
    MuFactors(Device& device, Precision precision, const ComplexVector& phi,
              const RealVector& weights);

    /// The products must be multiplied by 2^exponent.
    int exponent() const { return exponent_; }
    /// `values` has a row a coil, at these of the samples.
    void apply(const Range& samples, Array& values);

private:
    Device& device_;
    int exponent_ = 0;
    Array factors_; ///< none where all are 1
};

class PiecewiseTransform;

/// Results of transforms from host to host, in double precision, and the bound of their relative
/// L2 error over many points: for tests, measurements and simulation.
struct OnHost {
    CoilMatrix values; ///< a row a coil
    double error = 0;
};

/// mu_cm = conj(phi_m) w_m d_cm, C x M, as transforms are given it.
CoilMatrix mu_on_host(Transforms& transforms, const Trajectory& trajectory,
                      const CoilRows& samples);

/// out_cn = sum_m value_cm exp(+i 2 pi k_m . x_n), C x N: F^H d of mu.
OnHost adjoint_on_host(Transforms& transforms, const SamplePoints& points, const CoilRows& values,
                       const Voxels& voxels, const Progress& progress);

/// The adjoint transform of real values of one coil, 1 x N: Q of w |phi|^2.
OnHost q_on_host(Transforms& transforms, const std::vector<Vec3>& positions,
                 const RealVector& weights, const Voxels& voxels, const Progress& progress);

/// out_cm = sum_n rho_cn exp(-i 2 pi k_m . x_n), C x M: F before phi.
OnHost forward_on_host(Transforms& transforms, const SamplePoints& points, const CoilRows& rho,
                       const Voxels& voxels, const Progress& progress);
/// The forward transform by a transform that was made before.
OnHost forward_on_host(Transforms& transforms, PiecewiseTransform& transform, const CoilRows& rho,
                       const Progress& progress);

} // namespace lsrecon
