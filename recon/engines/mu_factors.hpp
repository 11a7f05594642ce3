#pragma once

#include "device/device.hpp"
#include "scan/scan.hpp"

namespace lsrecon {

/// conj(phi_m) w_m on a device: samples times these are Mu, mu_cm = conj(phi_m) w_m d_cm (Stone et
/// al. 2008, equation for F^H d). In single precision they are relative to a power of two.
class MuFactors {
public:
    MuFactors(Device& device, Precision precision, const Sampling& sampling)
        : MuFactors(device, precision, sampling.phi, sampling.weights) {}
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

} // namespace lsrecon
