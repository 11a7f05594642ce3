// Every verb as plain loops: the formulas of device.hpp, and nothing else.

#include <cmath>
#include <vector>

#include "base/fft.hpp"
#include "base/machine.hpp"
#include "device/convolution.hpp"
#include "device/grid_loops.hpp"
#include "device/reference_device.hpp"

namespace lsrecon {

namespace {

/// Complex numbers, also of real arrays.
struct HostMemory : Array::Memory {
    std::vector<Complex> values;
};

} // namespace

std::vector<Complex>& reference_values(const Array& array) {
    return static_cast<HostMemory*>(array.memory())->values;
}

namespace {

std::vector<Complex>& values_of(const Array& array) {
    return reference_values(array);
}

/// The numbers of a component of a grid of this size.
Complex* values_of(const Component& component, const std::array<std::size_t, 3>& size) {
    return values_of(component.array).data() + component.index * size[0] * size[1] * size[2];
}

/// Of real factors, of which there may be none.
double factor_of(const Array& factors, std::size_t n) {
    return factors.empty() ? 1 : values_of(factors)[n].real();
}

class ReferenceFft : public FftPlan {
public:
    ReferenceFft(Device& device, const std::array<std::size_t, 3>& extents, std::size_t batch)
        : device_(device), fft_(extents, batch) {}
    std::string library() const override { return Fft<double>::version(); }
    void forward(Array& values) override { fft_.forward(values_of(values).data()); }
    void backward(Array& values) override { fft_.backward(values_of(values).data()); }
    void convolve(const Array& spectra, std::size_t first, Array& values) override {
        convolve_by_verbs(device_, *this, fft_.count(), spectra, first, values);
    }
    void add_convolution(const Convolution& by, const std::vector<Array>& maps, const Array& in,
                         Array& out) override {
        add_convolution_by_verbs(device_, *this, by, maps, in, out);
    }

private:
    Device& device_;
    Fft<double> fft_;
};

/// Calls visit(n, point of n in the period, product of the factors of n) for every value.
template <typename Visit> void for_each_value(const Box& box, const Visit& visit) {
    const auto wrapped = [&](std::size_t d, std::size_t n) {
        const long extent = static_cast<long>(box.extents[d]);
        const long at = (box.first[d] + static_cast<long>(n)) % extent;
        return static_cast<std::size_t>(at < 0 ? at + extent : at);
    };
    const std::vector<Complex>& factors = values_of(box.factors);
    std::size_t n = 0;
    for (std::size_t z = 0; z < box.size[2]; ++z) {
        for (std::size_t y = 0; y < box.size[1]; ++y) {
            const std::size_t row = wrapped(2, z) * box.extents[1] + wrapped(1, y);
            const Complex of_row =
                factors[box.size[0] + y] * factors[box.size[0] + box.size[1] + z];
            for (std::size_t x = 0; x < box.size[0]; ++x) {
                visit(n++, row * box.extents[0] + wrapped(0, x), factors[x] * of_row);
            }
        }
    }
}

DeviceInfo named(const std::string& name) {
    DeviceInfo info;
    info.name = name;
    info.double_precision = true;
    info.compute_units = 1;
    info.clock_mhz = 2000; // about that of any server
    return info;
}

class ReferenceDevice : public Device {
public:
    std::string kind() const override { return "reference"; }
    const DeviceInfo& info() const override { return info_; }
    const Pace& pace() const override { return pace_; }
    std::string name() const override { return "the CPU"; }
    StopWatch& clock() override { return clock_; }
    bool has(Precision precision) const override { return precision == Precision::float64; }
    double memory() const override { return memory_limit().bytes; }
    double room() const override { return memory(); }
    double largest_array() const override { return memory(); }
    bool in_host_memory() const override { return true; }

    Array zeros(std::size_t count, Element element) override {
        auto memory = std::make_shared<HostMemory>();
        memory->values.assign(count, Complex(0));
        return {count, {element.complex, Precision::float64}, std::move(memory)};
    }
    void upload(const ComplexVector& from, Array& to) override {
        values_of(to).assign(from.data(), from.data() + from.size());
    }
    void upload(const CoilRows& from, const Range& rows, const Range& columns, int exponent,
                Array& to) override {
        from.visit([&](const auto& values) {
            std::size_t i = 0;
            for (std::size_t r = rows.first; r < rows.first + rows.count; ++r) {
                for (std::size_t n = columns.first; n < columns.first + columns.count; ++n) {
                    const Complex value(
                        values(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(n)));
                    values_of(to)[i++] = ldexp(value, exponent);
                }
            }
        });
    }
    void upload(const RealVector& from, const Range& range, int exponent, Array& to) override {
        for (std::size_t i = 0; i < range.count; ++i) {
            values_of(to)[i] =
                std::ldexp(from(static_cast<Eigen::Index>(range.first + i)), exponent);
        }
    }
    ComplexVector download(const Array& from, std::size_t first, std::size_t count) override {
        return Eigen::Map<const ComplexVector>(values_of(from).data() + first,
                                               static_cast<Eigen::Index>(count));
    }

    void read(const Array& from, std::size_t first, std::size_t count, void* values) override {
        std::copy_n(values_of(from).data() + first, count, static_cast<Complex*>(values));
    }
    void write(const void* values, std::size_t first, std::size_t count, Array& to) override {
        std::copy_n(static_cast<const Complex*>(values), count, values_of(to).data() + first);
    }

    void copy(const Array& from, std::size_t first, Array& to) override {
        std::copy_n(values_of(from).begin() + static_cast<long>(first), to.count(),
                    values_of(to).begin());
    }
    void convert(const Array& from, Array& to) override { values_of(to) = values_of(from); }
    void combine(double a, const Array& x, double b, Array& y) override {
        for (std::size_t i = 0; i < y.count(); ++i) {
            const Complex kept = b == 0 ? Complex(0) : b * values_of(y)[i];
            values_of(y)[i] = a * values_of(x)[i] + kept;
        }
    }
    double dot(const Array& x, const Array& y) override {
        Complex sum = 0;
        for (std::size_t i = 0; i < x.count(); ++i) {
            sum += std::conj(values_of(x)[i]) * values_of(y)[i];
        }
        return sum.real();
    }
    void multiply(const Array& f, std::size_t first, std::size_t count, Array& y) override {
        for (std::size_t i = 0; i < y.count(); ++i) {
            values_of(y)[i] *= values_of(f)[first + i % count];
        }
    }
    void multiply_conjugate(const Array& f, std::size_t first, std::size_t count,
                            Array& y) override {
        for (std::size_t i = 0; i < y.count(); ++i) {
            values_of(y)[i] *= std::conj(values_of(f)[first + i % count]);
        }
    }
    void add_conjugate_product(const Array& map, const Array& in, std::size_t first,
                               Array& out) override {
        for (std::size_t i = 0; i < out.count(); ++i) {
            values_of(out)[i] += std::conj(values_of(map)[i]) * values_of(in)[first + i];
        }
    }
    void keep_real(const Array& in, double scale, std::size_t first, Array& out) override {
        for (std::size_t i = 0; i < in.count(); ++i) {
            values_of(out)[first + i] = scale * values_of(in)[i].real();
        }
    }

    void pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
             Array& out) override {
        Complex* const period = values_of(out).data() + slot * box.points();
        std::fill(period, period + box.points(), Complex(0));
        for_each_value(box, [&](std::size_t n, std::size_t point, Complex factor) {
            period[point] += factor * of_map(map, n) * values_of(in)[n];
        });
    }
    void crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
              Array& out) override {
        const Complex* const period = values_of(in).data() + slot * box.points();
        for_each_value(box, [&](std::size_t n, std::size_t point, Complex factor) {
            values_of(out)[n] += std::conj(factor * of_map(map, n)) * period[point];
        });
    }

    void difference(const std::array<std::size_t, 3>& size, std::size_t d, const Array& factors,
                    const Array& in, std::size_t component, Array& out) override {
        for_each_step(size, d, [&](std::size_t n, std::size_t next, bool last) {
            const std::size_t at = component * in.count() + n;
            values_of(out)[at] =
                last ? 0 : factor_of(factors, at) * (values_of(in)[next] - values_of(in)[n]);
        });
    }
    void add_difference_adjoint(const std::array<std::size_t, 3>& size, std::size_t d,
                                const Array& factors, std::size_t component, const Array& in,
                                Array& out) override {
        for_each_step(size, d, [&](std::size_t n, std::size_t next, bool last) {
            if (!last) {
                const std::size_t at = component * out.count() + n;
                const Complex value = factor_of(factors, at) * values_of(in)[at];
                values_of(out)[next] += value;
                values_of(out)[n] -= value;
            }
        });
    }
    void filter(const std::array<std::size_t, 3>& size, std::size_t d, std::size_t step,
                const Taps& taps, const Component& in, const Component& low,
                const Component& high) override {
        const Complex* const from = values_of(in, size);
        for_each_tap(size, d, step, [&](std::size_t n, std::size_t t, std::size_t there) {
            const double sign = t % 2 == 0 ? 1 : -1;
            Complex& of_low = values_of(low, size)[n];
            Complex& of_high = values_of(high, size)[n];
            of_low = (t == 0 ? Complex(0) : of_low) + taps[t] * from[there];
            of_high = (t == 0 ? Complex(0) : of_high) + sign * taps[3 - t] * from[there];
        });
    }
    void filter_adjoint(const std::array<std::size_t, 3>& size, std::size_t d, std::size_t step,
                        const Taps& taps, const Component& low, const Component& high,
                        const Component& out) override {
        Complex* const to = values_of(out, size);
        std::fill(to, to + size[0] * size[1] * size[2], Complex(0));
        for_each_tap(size, d, step, [&](std::size_t n, std::size_t t, std::size_t there) {
            const double sign = t % 2 == 0 ? 1 : -1;
            to[there] +=
                taps[t] * values_of(low, size)[n] + sign * taps[3 - t] * values_of(high, size)[n];
        });
    }
    void interleave(const std::array<std::size_t, 3>& size, const Array& in, Array& out) override {
        for_each_interleaved(size, [&](std::size_t n, std::size_t place) {
            values_of(out)[place] = values_of(in)[n];
        });
    }
    void deinterleave(const std::array<std::size_t, 3>& size, const Array& in,
                      Array& out) override {
        for_each_interleaved(size, [&](std::size_t n, std::size_t place) {
            values_of(out)[n] = values_of(in)[place];
        });
    }
    void multiply_in_cosines(const std::array<std::size_t, 3>& size, const Array& phase_factors,
                             const Array& f, Array& y) override {
        for_each_pair(size, values_of(phase_factors), values_of(y),
                      [](Complex w, Complex& a, Complex& b) {
                          const Complex sum = w * a + std::conj(w) * b;
                          b = Complex(0, 1) * (w * a - std::conj(w) * b) / std::sqrt(2);
                          a = sum / std::sqrt(2);
                      });
        multiply(f, 0, f.count(), y);
        for_each_pair(size, values_of(phase_factors), values_of(y),
                      [](Complex w, Complex& a, Complex& b) {
                          const Complex sum = std::conj(w) * (a - Complex(0, 1) * b);
                          b = w * (a + Complex(0, 1) * b) / std::sqrt(2);
                          a = sum / std::sqrt(2);
                      });
    }
    void shrink(std::size_t first, std::size_t count, std::size_t parts, double length,
                Array& y) override {
        for (std::size_t n = first; n < first + count; ++n) {
            double squares = 0;
            for (std::size_t i = 0; i < parts; ++i) {
                squares += std::norm(values_of(y)[n + i * count]);
            }
            const double norm = std::sqrt(squares);
            for (std::size_t i = 0; i < parts; ++i) {
                values_of(y)[n + i * count] *= norm > length ? 1 - length / norm : 0;
            }
        }
    }

    std::unique_ptr<FftPlan> plan_fft(const std::array<std::size_t, 3>& extents, std::size_t batch,
                                      Precision) override {
        return std::make_unique<ReferenceFft>(*this, extents, batch);
    }

private:
    static Complex of_map(const Array& map, std::size_t n) {
        return map.empty() ? Complex(1) : values_of(map)[n];
    }

    StopWatch clock_;
    DeviceInfo info_ = named("CPU, one thread");
    Pace pace_ = nominal_pace(false, 1);
};

} // namespace

StopWatch& reference_clock(Device& device) {
    return static_cast<ReferenceDevice&>(device).clock();
}

std::unique_ptr<Device> make_reference_device() {
    return std::make_unique<ReferenceDevice>();
}

} // namespace lsrecon
