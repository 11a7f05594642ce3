#pragma once

#include "operators/explicit_gram.hpp"
#include "operators/toeplitz.hpp"
#include "solve/system.hpp"

namespace lsrecon::test {

/// The normal equations on a reference device of its own.
class ReferenceSystem {
public:
    /// Through Q.
    explicit ReferenceSystem(const Q& q, const CoilMatrix& maps = {}, double lambda = 0)
        : system_(*device_, Precision::float64,
                  std::make_unique<Toeplitz>(*device_, q, Precision::float64, rows(maps)), maps,
                  lambda) {}
    /// By F and F^H of the backend.
    ReferenceSystem(Backend& backend, const Sampling& sampling, const Voxels& voxels,
                    const CoilMatrix& maps = {}, double lambda = 0)
        : system_(*device_, Precision::float64,
                  make_explicit_gram(*device_, backend, sampling, voxels), maps, lambda) {}

    ComplexVector apply(const ComplexVector& x) { return system_.apply(x); }
    double diagonal() const { return system_.gram().diagonal(); }

private:
    std::unique_ptr<Device> device_ = make_reference_device();
    System system_;
};

} // namespace lsrecon::test
