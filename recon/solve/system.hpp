#pragma once

#include <functional>
#include <memory>
#include <string>

#include "operators/circulant.hpp"
#include "operators/gram.hpp"
#include "solve/cg.hpp"
#include "solve/regularisers.hpp"

namespace lsrecon {

/// The normal equations of one sampling on one device, A = sum_c S_c^H T S_c + lambda Q(0) I, and
/// the regularisers beside them.
class System {
public:
    /// The device and the maps must outlive it. Regularisers are those on this device; `inverse`,
    /// or null, preconditions where some are not quadratic.
    System(Device& device, Precision precision, std::unique_ptr<Gram> gram, CoilMaps& maps,
           double lambda, std::vector<RegulariserTerm> regularisers = {},
           std::unique_ptr<Circulant> inverse = nullptr);

    /// A x
    ComplexVector apply(const ComplexVector& x);
    /// Conjugate gradients on the device, see conjugate_gradient; with regularisers that are not
    /// quadratic by splitting, see split_solve.
    Solution solve(const Volume& b, const SolveOptions& options,
                   const std::function<void(double)>& progress);

    const Gram& gram() const { return *gram_; }
    double epsilon() const { return unit_roundoff(precision_); }
    /// For the record: "conjugate gradients on the device, double precision, FFT by fftw-3.3.10".
    std::string description() const;

private:
    Device& device_;
    Precision precision_;
    std::unique_ptr<Gram> gram_;
    NormalOperator plain_; ///< A / Q(0)
    std::vector<RegulariserTerm> regularisers_;
    Regularised relative_; ///< with the quadratic ones
    std::vector<const RegulariserTerm*> others_;
    std::unique_ptr<Circulant> inverse_; ///< next to that of A, for splitting
};

} // namespace lsrecon
