#pragma once

#include <string>

#include "operators/operator.hpp"

namespace lsrecon {

/// N = A^H A of A = W^1/2 F S, relative to Q(0), because floats end at 1e38: sum_c S_c^H T S_c of
/// the coil maps, or T without any. Hermitian and positive semidefinite.
class Gram : public SelfAdjoint {
public:
    /// The device must outlive it.
    explicit Gram(Device& device) : device_(device) {}
    void apply(const Array& in, Array& out) final {
        device_.combine(0, in, 0, out);
        add(in, out);
    }
    /// out += N in
    virtual void add(const Array& in, Array& out) = 0;
    /// Q(0) = sum of w |phi|^2: every diagonal element of T.
    virtual double unit() const = 0;
    /// The means of multiplying: "FFT by fftw-3.3.10".
    virtual std::string means() const = 0;

protected:
    Device& device_;
};

} // namespace lsrecon
