#pragma once

#include <functional>
#include <memory>
#include <string>

#include "operators/gram.hpp"
#include "solve/cg.hpp"

namespace lsrecon {

/// The normal equations of one sampling on one device, A = sum_c S_c^H T S_c + lambda Q(0) I.
class System {
public:
    /// `coil_maps` is C x N or empty. DeviceError when the device has no room. It must outlive
    /// this.
    System(Device& device, Precision precision, std::unique_ptr<Gram> gram,
           const CoilMatrix& coil_maps, double lambda);

    /// A x
    ComplexVector apply(const ComplexVector& x);
    /// Conjugate gradients on the device: see conjugate_gradient.
    Solution solve(const ComplexVector& b, const SolveOptions& options,
                   const std::function<void(double)>& progress);

    const Gram& gram() const { return *gram_; }
    double epsilon() const { return unit_roundoff(precision_); }
    /// For the record: "conjugate gradients on the device, double precision, FFT by fftw-3.3.10".
    std::string description() const;

private:
    Device& device_;
    Precision precision_;
    std::unique_ptr<Gram> gram_;
    NormalOperator relative_; ///< A / Q(0)
};

} // namespace lsrecon
