#pragma once

#include <array>
#include <memory>
#include <string>

#include "base/types.hpp"
#include "device/array.hpp"

namespace lsrecon {

/// A grid of values within a period: value n of a dimension stands at first + n modulo `extents`,
/// where first > -extents and first + size <= extents. x is the fastest dimension of both.
struct Box {
    std::array<std::size_t, 3> size{1, 1, 1};
    std::array<long, 3> first{0, 0, 0};
    std::array<std::size_t, 3> extents{1, 1, 1};
    /// One complex factor a value of each dimension: size[0] of x, then those of y, then of z.
    Array factors;

    std::size_t values() const { return size[0] * size[1] * size[2]; }
    std::size_t points() const { return extents[0] * extents[1] * extents[2]; }
};

/// An in-place complex transform of one length a dimension, planned once; no direction is scaled.
class FftPlan {
public:
    virtual ~FftPlan() = default;
    virtual std::string library() const = 0; ///< with its version
    virtual void forward(Array& values) = 0; ///< exp(-i 2 pi ...)
    virtual void backward(Array& values) = 0; ///< exp(+i 2 pi ...)
};

/// What computes on arrays. Arithmetic is in the precision of the arrays, which agree unless it is
/// said otherwise. Work may be queued; what returns numbers waits for it. Repeated runs give the
/// same bits. DeviceError when the device fails.
class Device {
public:
    virtual ~Device() = default;

    /// For the record and the console: "the CPU (plain loops)".
    virtual std::string name() const = 0;
    virtual bool has(Precision precision) const = 0;
    /// Bytes that may be used: in all, and by one array.
    virtual double memory() const = 0;
    virtual double largest_array() const = 0;

    /// DeviceError when there is no room.
    virtual Array zeros(std::size_t count, Element element) = 0;
    /// Rounded to the precision of the array; `from` has as many values as it.
    virtual void upload(const ComplexVector& from, Array& to) = 0;
    virtual ComplexVector download(const Array& from) = 0;

    /// y = a x + b y
    virtual void combine(double a, const Array& x, double b, Array& y) = 0;
    /// The real part of sum conj(x) y. The order of summation depends on the count alone, and the
    /// error is that of the products.
    virtual double dot(const Array& x, const Array& y) = 0;
    /// y *= f, f real: f.count() values from `first` on; repeated for every f.count() values of y.
    virtual void multiply(const Array& f, std::size_t first, std::size_t count, Array& y) = 0;
    /// out[first + i] = scale Re in[i]
    virtual void keep_real(const Array& in, double scale, std::size_t first, Array& out) = 0;

    /// Point g of period `slot` of `out`: the sum over all values n of the box that stand there, of
    /// factors(n) map(n) in(n). A map may be empty, for 1, and of another precision.
    virtual void pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
                     Array& out) = 0;
    /// out(n) += conj(factors(n) map(n)) in(point of n in period `slot`): the adjoint of pad.
    virtual void crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
                      Array& out) = 0;

    /// Of `batch` periods one after the other.
    virtual std::unique_ptr<FftPlan> plan_fft(const std::array<std::size_t, 3>& extents,
                                              std::size_t batch, Precision precision) = 0;
};

/// Plain loops in double precision on the host, FFT by FFTW: the oracle. Every array of it is in
/// double precision, whatever was asked for.
std::unique_ptr<Device> make_reference_device();

} // namespace lsrecon
