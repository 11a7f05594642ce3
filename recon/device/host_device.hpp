// The devices whose arrays are in the host's memory.

#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/machine_model.hpp"

namespace lsrecon {

/// A device whose arrays are HostNumbers: the verbs are loops on every core, in floats and doubles.
/// Who derives from it says where the arrays come from.
class HostDevice : public Device {
public:
    using Device::Device;
    bool in_host_memory() const override { return true; }

    void upload(const ComplexVector& from, Array& to) override;
    void upload(const CoilRows& from, const Range& rows, const Range& columns, int exponent,
                Array& to) override;
    void upload(const RealVector& from, const Range& range, int exponent, Array& to) override;
    ComplexVector download(const Array& from, std::size_t first, std::size_t count) override;
    using Device::download;
    void read(const Array& from, std::size_t first, std::size_t count, void* values) override;
    void write(const void* values, std::size_t first, std::size_t count, Array& to) override;

    void copy(const Array& from, std::size_t first, Array& to) override;
    void convert(const Array& from, Array& to) override;

    void combine(double a, const Array& x, double b, Array& y) override;
    double dot(const Array& x, const Array& y) override;
    void multiply(const Array& f, std::size_t first, std::size_t count, Array& y) override;
    void multiply_conjugate(const Array& f, std::size_t first, std::size_t count,
                            Array& y) override;
    void add_conjugate_product(const Array& map, const Array& in, std::size_t first,
                               Array& out) override;
    void keep_real(const Array& in, double scale, std::size_t first, Array& out) override;

    void pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
             Array& out) override;
    void crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
              Array& out) override;

    void run(const KernelRun& kernel) override;

    std::unique_ptr<FftPlan> plan_fft(const GridSize& extents, std::size_t batch,
                                      Precision precision, const std::array<Range, 3>&) override;
};

/// This computer's processors, on the cores of the process, without OpenCL: kind "host". Arrays are
/// in floats or doubles. `memory` is what may be used of the host's, in bytes; 0 for all of it.
std::unique_ptr<Device> make_processors(double memory = 0);

/// A device of another machine, which predictions ask for its numbers. It holds no array.
std::unique_ptr<Device> make_described_device(const Machine& machine);

/// Plain loops in double precision on the host, FFT by FFTW: the oracle. All of its arrays are
/// HostNumbers in double precision, even where single was asked for.
std::unique_ptr<Device> make_reference_device();

} // namespace lsrecon
