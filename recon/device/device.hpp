// A device: what holds arrays and computes on them, and its FFTs.

#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/coil_rows.hpp"
#include "base/machine.hpp"
#include "base/ranges.hpp"
#include "base/types.hpp"
#include "device/array.hpp"
#include "device/devices.hpp"
#include "device/machine_model.hpp"

namespace lsrecon {

/// Seconds that a device has spent on transforms, without transfers to and from it: in the host's
/// memory, where nothing is transferred, all that have passed since the restart.
class Clock {
public:
    virtual ~Clock() = default;
    virtual void restart() { start_ = std::chrono::steady_clock::now(); }
    virtual double seconds() const { return seconds_since(start_); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Voxels along x, y and z; x is the fastest dimension of arrays.
using GridSize = std::array<std::size_t, 3>;

/// A grid of values within a period: value n of a dimension is at first + n modulo `extents`,
/// where first > -extents and first + size <= extents. x is the fastest dimension of both.
struct Box {
    GridSize size{1, 1, 1};
    std::array<long, 3> first{0, 0, 0};
    GridSize extents{1, 1, 1};
    /// One complex factor a value of each dimension: size[0] of x, then those of y, then of z.
    Array factors;

    std::size_t values() const { return size[0] * size[1] * size[2]; }
    std::size_t points() const { return extents[0] * extents[1] * extents[2]; }
    /// The point of value n of dimension d.
    std::size_t point(std::size_t d, std::size_t n) const {
        const long extent = static_cast<long>(extents[d]);
        const long at = (first[d] + static_cast<long>(n)) % extent;
        return static_cast<std::size_t>(at < 0 ? at + extent : at);
    }
};

/// The operands of FftPlan::add_convolution().
struct Convolution {
    /// A box per parity of frequencies (operators/embedding.hpp), those of the slowest dimension
    /// last, which differ from those of parity 0 by the factor exp(-i pi n / L) along it. Each
    /// begins at 0 and is no longer than its period, which is the transform's; the factor of a
    /// dimension of one value is 1.
    const std::vector<Box>& boxes;
    const Array& spectra; ///< real, of one parity after the other
    Array& periods; ///< workspace, as much as an Embedding says
};

class Device;

/// An in-place complex transform of one length a dimension, planned once; no direction is scaled.
class FftPlan {
public:
    /// A transform of `batch` periods of so many points. The device must outlive it.
    FftPlan(Device& device, std::size_t points, std::size_t batch)
        : device_(device), points_(points), batch_(batch) {}
    virtual ~FftPlan() = default;
    FftPlan(const FftPlan&) = delete;
    virtual std::string library() const = 0; ///< name of the library with its version
    virtual void forward(Array& values) = 0; ///< exp(-i 2 pi ...)
    virtual void backward(Array& values) = 0; ///< exp(+i 2 pi ...)

    /// values = backward(f * forward(values)) for every array of the batch, f real, from `first` of
    /// `spectra`.
    void convolve(const Array& spectra, std::size_t first, Array& values);
    /// out += the sum, over as many maps as there are arrays in the batch or fewer and over
    /// parities s, of crop(convolve(pad(in))) with the map, the box of s and the spectrum of s: the
    /// product of the box's values and a circulant matrix of twice the period. By the device's
    /// other verbs, one parity after the other, unless a library does better.
    virtual void add_convolution(const Convolution& by, const std::vector<Array>& maps,
                                 const Array& in, Array& out);

protected:
    Device& device_;
    const std::size_t points_;
    const std::size_t batch_;
};

struct KernelRun; // device/kernel.hpp

/// A device computes on arrays. Arithmetic is in the precision of the arrays, which agree unless
/// stated otherwise. Work may be queued; what returns numbers waits for it. Repeated runs give the
/// same bits. DeviceError when the device fails.
class Device {
public:
    Device(std::string kind, DeviceInfo info, MachineModel model)
        : kind_(std::move(kind)), info_(std::move(info)), machine_model_(std::move(model)) {}
    virtual ~Device() = default;

    /// Held by one of several threads while it computes.
    std::recursive_mutex in_use;

    /// The kind that engines ask for: "opencl", "host" or "reference".
    const std::string& kind() const { return kind_; }
    /// The facts that OpenCL reports; the reference has a name and rates alone.
    const DeviceInfo& info() const { return info_; }
    /// The model of the machine as it was measured, else the nominal one.
    const MachineModel& machine_model() const { return machine_model_; }
    /// The device in a sentence.
    std::string name() const { return kind_ == "opencl" ? "the device" : "the CPU"; }
    virtual Clock& clock() { return clock_; }
    /// Opens the device while the caller goes on, where opening takes a while.
    virtual void open_ahead() {}
    /// Returns when the device is open.
    virtual void open() {}
    virtual bool has(Precision precision) const {
        return precision == Precision::float32 || info_.double_precision;
    }
    /// Bytes that may be used: in all, by further arrays, and by one array.
    virtual double memory() const { return static_cast<double>(info_.global_bytes); }
    virtual double room() const { return memory(); }
    virtual double largest_array() const { return static_cast<double>(info_.max_allocation_bytes); }
    /// Whether the device's memory is the host's.
    virtual bool in_host_memory() const = 0;

    /// Makes an array of zeros. DeviceError when there is no room.
    virtual Array zeros(std::size_t count, Element element) = 0;
    /// Copies values to an array, rounded to its precision; `from` has as many values.
    virtual void upload(const ComplexVector& from, Array& to) = 0;
    /// Copies some rows and columns of a matrix, times 2^exponent, one row after the other.
    virtual void upload(const CoilRows& from, const Range& rows, const Range& columns, int exponent,
                        Array& to) = 0;
    /// Copies some real numbers, times 2^exponent.
    virtual void upload(const RealVector& from, const Range& range, int exponent, Array& to) = 0;
    /// Copies `count` values from `first` on to the host.
    virtual ComplexVector download(const Array& from, std::size_t first, std::size_t count) = 0;
    ComplexVector download(const Array& from) { return download(from, 0, from.count()); }
    /// Copy `count` complex values from `first` on as the array has them, and back into an array of
    /// the same element.
    virtual void read(const Array& from, std::size_t first, std::size_t count, void* values) = 0;
    virtual void write(const void* values, std::size_t first, std::size_t count, Array& to) = 0;

    /// Copies to.count() values of `from`, from `first` on.
    virtual void copy(const Array& from, std::size_t first, Array& to) = 0;
    /// Copies all numbers, rounded to the precision of `to`.
    virtual void convert(const Array& from, Array& to) = 0;

    /// y = a x + b y, where y is not read for b = 0, and x may be y.
    virtual void combine(double a, const Array& x, double b, Array& y) = 0;
    /// The real part of sum conj(x) y. The order of summation depends on the count alone, and the
    /// error is that of the products.
    virtual double dot(const Array& x, const Array& y) = 0;
    /// y *= f: `count` values from `first` on, repeated for every `count` values of y. A complex f
    /// may be of another precision.
    virtual void multiply(const Array& f, std::size_t first, std::size_t count, Array& y) = 0;
    /// y *= conj(f), which is complex, with the same values repeated.
    virtual void multiply_conjugate(const Array& f, std::size_t first, std::size_t count,
                                    Array& y) = 0;
    /// out(i) += conj(map(i)) in(first + i); the map may be of another precision.
    virtual void add_conjugate_product(const Array& map, const Array& in, std::size_t first,
                                       Array& out) = 0;
    /// out[first + i] = scale Re in[i]
    virtual void keep_real(const Array& in, double scale, std::size_t first, Array& out) = 0;

    /// Point g of period `slot` of `out`: the sum of factors(n) map(n) in(n) over all values n of
    /// the box that are at g. A map may be empty, for 1, and of another precision.
    virtual void pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
                     Array& out) = 0;
    /// out(n) += conj(factors(n) map(n)) in(point of n in period `slot`): the adjoint of pad.
    virtual void crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
                      Array& out) = 0;

    /// Runs a kernel of an operator.
    virtual void run(const KernelRun& kernel) = 0;

    /// Plans the transform of `batch` periods, one after the other. Points in `zeros` of each
    /// dimension are 0 before forward() and not wanted after backward(), which may leave anything
    /// there.
    virtual std::unique_ptr<FftPlan> plan_fft(const GridSize& extents, std::size_t batch,
                                              Precision precision,
                                              const std::array<Range, 3>& zeros = {}) = 0;

private:
    std::string kind_;
    DeviceInfo info_;
    MachineModel machine_model_;
    Clock clock_;
};

} // namespace lsrecon
