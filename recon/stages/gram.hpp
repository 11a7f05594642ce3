#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "stages/q.hpp"

namespace lsrecon {

/// T = F^H W F on one volume: Hermitian and positive semidefinite.
class Gram {
public:
    virtual ~Gram() = default;
    virtual ComplexVector apply(const ComplexVector& rho) const = 0;
    /// Q(0) = sum of w |phi|^2: every diagonal element of T.
    virtual double diagonal() const = 0;
};

/// T through Q in double precision: pad to 2N, FFT, multiply by the real spectrum of Q, inverse
/// FFT, crop.
/// Fessler et al. 2005, IEEE TSP 53(9), section III: the Toeplitz structure of F^H W F.
std::unique_ptr<Gram> make_q_gram(const Q& q);

/// T as F followed by F^H, for voxels anywhere. The backend and the sampling must outlive it.
std::unique_ptr<Gram> make_explicit_gram(Backend& backend, const Sampling& sampling,
                                         const Voxels& voxels);

/// The left-hand side of the normal equations of one problem:
/// with coil maps sum_c S_c^H T S_c + lambda Q(0) I, without T + lambda Q(0) I.
class NormalOperator {
public:
    /// `coil_maps` is C x N or empty, and must outlive this, as must the Gram.
    NormalOperator(const Gram& gram, const CoilMatrix& coil_maps, double lambda)
        : gram_(gram), coil_maps_(coil_maps), shift_(lambda * gram.diagonal()) {}
    ComplexVector apply(const ComplexVector& rho) const;

private:
    const Gram& gram_;
    const CoilMatrix& coil_maps_;
    double shift_;
};

} // namespace lsrecon
