#pragma once

#include "device/host_device.hpp"
#include "operators/gram.hpp"
#include "solve/system.hpp"

namespace lsrecon::test {

/// F^H F = Q(0) 1.
class Diagonal : public Gram {
public:
    Diagonal(Device& device, std::size_t voxels, double unit = 1)
        : Gram(device), voxels_(voxels), unit_(unit) {}
    std::size_t inputs() const override { return voxels_; }
    void add(const Array& in, Array& out) override { device_.combine(1, in, 1, out); }
    double unit() const override { return unit_; }
    std::string means() const override { return "a diagonal"; }

private:
    std::size_t voxels_;
    double unit_;
};

/// The normal equations on a separate reference device.
class ReferenceSystem {
public:
    /// Through Q.
    explicit ReferenceSystem(const Q& q, const CoilMatrix& maps = {}, double lambda = 0)
        : rows_(maps),
          system_(*device_, Precision::float64,
                  std::make_unique<Toeplitz>(*device_, q, Precision::float64, maps_), lambda) {}
    /// By F and F^H.
    ReferenceSystem(Transforms& transforms, const Trajectory& trajectory, const Voxels& voxels,
                    const CoilMatrix& maps = {}, double lambda = 0)
        : rows_(maps), system_(*device_, Precision::float64,
                               make_explicit_gram(*device_, Precision::float64, maps_, transforms,
                                                  Precision::float64, trajectory, voxels),
                               lambda) {}
    ReferenceSystem(const ReferenceSystem&) = delete;
    ReferenceSystem& operator=(const ReferenceSystem&) = delete;

    ComplexVector apply(const ComplexVector& x) { return system_.apply(x); }
    double diagonal() const { return system_.unit(); }

private:
    std::unique_ptr<Device> device_ = make_reference_device();
    CoilRows rows_;
    CoilMaps maps_{*device_, rows_};
    System system_;
};

} // namespace lsrecon::test
