#pragma once

#include <memory>
#include <vector>

#include "operators/operator.hpp"
#include "operators/q.hpp"

namespace lsrecon {

/// The inverse of a matrix next to A + lambda + sum of weight K^H K that cosine transforms (DCT-II)
/// turn into a diagonal one, to precondition conjugate gradients. A is next to `squares` T / Q(0);
/// of all such matrices this is the closest to T in the Frobenius norm, and positive as T is (Chan,
/// Chan and Wong 1999, IEEE Trans. Image Process. 8:1472). That of K^H K is by what it does to the
/// voxel in the middle, exact for differences of neighbours on three voxels and more.
///
/// A grid ends like a mirror for cosines, and at its other end for the exponentials of circulant
/// matrices, to which opposite faces are neighbours: T of a scan whose density grows towards the
/// centre of k-space has eigenvalues N times those of its circulant matrix there.
class CosinePreconditioner : public SelfAdjoint {
public:
    /// `squares` stands for the coil maps: the mean of their sum of squares. DeviceError when the
    /// device has no room. The device must outlive it.
    CosinePreconditioner(Device& device, const Q& q, Precision precision, double squares,
                         double lambda);

    /// Raises eigenvalues of A below their mean to it: for conjugate gradients without other terms.
    /// Corners of k-space that nobody sampled have eigenvalues of T of all sizes below, and no
    /// cosine knows them.
    void raise_to_mean();
    void set_lambda(double lambda);

    /// Of K^H K of an operator on the grid's voxels; 0 until it is set. The operator must outlive
    /// it.
    void set_weight(Operator* k, double weight);

    std::size_t inputs() const override { return grid_.voxels(); }
    void apply(const Array& in, Array& out) override;

private:
    RealVector eigenvalues_of(Operator& k);

    Device& device_;
    Grid grid_;
    std::array<std::size_t, 3> size_;
    Precision precision_;
    double squares_;
    double lambda_;
    std::unique_ptr<FftPlan> fft_;
    Array turns_; ///< of multiply_in_cosines
    Array values_;
    Array inverse_; ///< real, of the eigenvalues
    struct Term {
        Operator* k;
        RealVector eigenvalues;
        double weight;
    };
    RealVector of_a_; ///< without lambda
    std::vector<Term> terms_;
    bool stale_ = true; ///< inverse_
};

} // namespace lsrecon
