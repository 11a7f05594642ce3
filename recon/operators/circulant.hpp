#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "operators/operator.hpp"
#include "operators/q.hpp"

namespace lsrecon {

/// The inverse of a circulant matrix next to A + lambda + sum of weight K^H K, to precondition
/// conjugate gradients: FFT, divide by the eigenvalues, inverse FFT. A is next to `squares` T /
/// Q(0), whose circulant matrix is that of T. Chan (1988, SIAM J. Sci. Stat. Comput. 9:766),
/// positive as T is; that of K^H K is by what it does to the voxel in the middle.
class Circulant : public SelfAdjoint {
public:
    /// `squares` stands for the coil maps: the mean of their sum of squares. DeviceError when the
    /// device has no room. The device must outlive it.
    Circulant(Device& device, const Q& q, Precision precision, double squares, double lambda);

    /// Raises eigenvalues of A below their median to it: for conjugate gradients without other
    /// terms. Corners of k-space that nobody sampled have eigenvalues of T of all sizes below, and
    /// no circulant matrix knows them.
    void raise_to_median();
    void set_lambda(double lambda);

    /// Of K^H K of an operator on the grid's voxels; 0 until it is set. The operator must outlive
    /// it.
    void set_weight(Operator* k, double weight);

    std::size_t inputs() const override { return grid_.voxels(); }
    void apply(const Array& in, Array& out) override;

private:
    RealVector eigenvalues_of(Operator& k);
    /// Of the circulant matrix whose first column is in period_.
    RealVector eigenvalues();

    Device& device_;
    Grid grid_;
    Precision precision_;
    std::unique_ptr<FftPlan> fft_;
    Box box_; ///< of the image in a period
    Array period_;
    Array inverse_; ///< real, of the eigenvalues
    struct Term {
        Operator* k;
        RealVector eigenvalues;
        double weight;
    };
    RealVector of_a_; ///< without lambda
    double lambda_;
    std::vector<Term> terms_;
    bool stale_ = true; ///< inverse_
};

} // namespace lsrecon
