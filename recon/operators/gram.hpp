#pragma once

#include <string>

#include "operators/coil_maps.hpp"
#include "operators/operator.hpp"

namespace lsrecon {

/// T = F^H W F on one volume: Hermitian and positive semidefinite.
class Gram {
public:
    virtual ~Gram() = default;
    virtual std::size_t voxels() const = 0;
    /// out += sum over the maps of conj(map) T (map in) / Q(0). Relative to Q(0), because floats
    /// end at 1e38.
    virtual void add(CoilMaps& maps, const Array& in, Array& out) = 0;
    /// Q(0) = sum of w |phi|^2: every diagonal element of T.
    virtual double diagonal() const = 0;
    /// What multiplies: "FFT by fftw-3.3.10".
    virtual std::string means() const = 0;
};

/// The left-hand side of the normal equations relative to Q(0): sum_c S_c^H T S_c / Q(0) + lambda
/// I, or T / Q(0) + lambda I without coil maps.
class NormalOperator : public SelfAdjoint {
public:
    /// The device, T and the maps must outlive it.
    NormalOperator(Device& device, Gram& gram, CoilMaps& maps, double lambda)
        : device_(device), gram_(gram), maps_(maps), lambda_(lambda) {}

    void set_lambda(double lambda) { lambda_ = lambda; }
    std::size_t inputs() const override { return gram_.voxels(); }
    void apply(const Array& in, Array& out) override {
        device_.combine(lambda_, in, 0, out);
        gram_.add(maps_, in, out);
    }

private:
    Device& device_;
    Gram& gram_;
    CoilMaps& maps_;
    double lambda_;
};

} // namespace lsrecon
