// Implements every operation of device.hpp as a plain loop; kernels of operators are the host's.

#include <cmath>
#include <vector>

#include "base/fft.hpp"
#include "base/machine.hpp"
#include "device/host_device.hpp"
#include "device/kernel.hpp"

namespace lsrecon {

namespace {

struct HostMemory : HostNumbers {
    void* begin() override { return reals.data(); }

    std::vector<double> reals;
};

Complex* values_of(const Array& array) {
    return values<double>(array);
}

Complex factor_of(const Array& real_or_complex, std::size_t n) {
    return real_or_complex.element().complex ? values_of(real_or_complex)[n]
                                             : numbers<double>(real_or_complex)[n];
}

std::size_t reals_of(const Array& array) {
    return (array.element().complex ? 2 : 1) * array.count();
}

class ReferenceFft : public FftPlan {
public:
    ReferenceFft(Device& device, const GridSize& extents, std::size_t batch)
        : FftPlan(device, extents[0] * extents[1] * extents[2], batch), fft_(extents, batch) {}
    std::string library() const override { return Fft<double>::version(); }
    void forward(Array& values) override { fft_.forward(values_of(values)); }
    void backward(Array& values) override { fft_.backward(values_of(values)); }

private:
    Fft<double> fft_;
};

/// Calls visit(n, point of n in the period, product of the factors of n) for every value.
template <typename Visit> void for_each_value(const Box& box, const Visit& visit) {
    const Complex* const factors = values_of(box.factors);
    std::size_t n = 0;
    for (std::size_t z = 0; z < box.size[2]; ++z) {
        for (std::size_t y = 0; y < box.size[1]; ++y) {
            const std::size_t row = box.point(2, z) * box.extents[1] + box.point(1, y);
            const Complex of_row =
                factors[box.size[0] + y] * factors[box.size[0] + box.size[1] + z];
            for (std::size_t x = 0; x < box.size[0]; ++x) {
                visit(n++, row * box.extents[0] + box.point(0, x), factors[x] * of_row);
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
    ReferenceDevice() : Device("reference", named("CPU, one thread"), nominal_model(false, 1)) {}

    bool has(Precision precision) const override { return precision == Precision::float64; }
    double memory() const override { return memory_limit().bytes; }
    double largest_array() const override { return memory(); }
    bool in_host_memory() const override { return true; }

    Array zeros(std::size_t count, Element element) override {
        auto memory = std::make_shared<HostMemory>();
        memory->reals.assign((element.complex ? 2 : 1) * count, 0);
        return {count, {element.complex, Precision::float64}, std::move(memory)};
    }
    void upload(const ComplexVector& from, Array& to) override {
        std::copy_n(from.data(), from.size(), values_of(to));
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
            numbers<double>(to)[i] =
                std::ldexp(from(static_cast<Eigen::Index>(range.first + i)), exponent);
        }
    }
    ComplexVector download(const Array& from, std::size_t first, std::size_t count) override {
        return Eigen::Map<const ComplexVector>(values_of(from) + first,
                                               static_cast<Eigen::Index>(count));
    }

    void read(const Array& from, std::size_t first, std::size_t count, void* values) override {
        std::copy_n(values_of(from) + first, count, static_cast<Complex*>(values));
    }
    void write(const void* values, std::size_t first, std::size_t count, Array& to) override {
        std::copy_n(static_cast<const Complex*>(values), count, values_of(to) + first);
    }

    void copy(const Array& from, std::size_t first, Array& to) override {
        const std::size_t parts = to.element().complex ? 2 : 1;
        std::copy_n(numbers<double>(from) + parts * first, reals_of(to), numbers<double>(to));
    }
    void convert(const Array& from, Array& to) override { copy(from, 0, to); }
    void combine(double a, const Array& x, double b, Array& y) override {
        for (std::size_t i = 0; i < reals_of(y); ++i) {
            const double kept = b == 0 ? 0 : b * numbers<double>(y)[i];
            numbers<double>(y)[i] = a * numbers<double>(x)[i] + kept;
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
            values_of(y)[i] *= factor_of(f, first + i % count);
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
            numbers<double>(out)[first + i] = scale * values_of(in)[i].real();
        }
    }

    void pad(const Box& box, const Array& map, const Array& in, std::size_t slot,
             Array& out) override {
        Complex* const period = values_of(out) + slot * box.points();
        std::fill(period, period + box.points(), Complex(0));
        for_each_value(box, [&](std::size_t n, std::size_t point, Complex factor) {
            period[point] += factor * of_map(map, n) * values_of(in)[n];
        });
    }
    void crop(const Box& box, const Array& map, const Array& in, std::size_t slot,
              Array& out) override {
        const Complex* const period = values_of(in) + slot * box.points();
        for_each_value(box, [&](std::size_t n, std::size_t point, Complex factor) {
            values_of(out)[n] += std::conj(factor * of_map(map, n)) * period[point];
        });
    }

    void run(const KernelRun& kernel) override { kernel.on_host(); }

    std::unique_ptr<FftPlan> plan_fft(const GridSize& extents, std::size_t batch, Precision,
                                      const std::array<Range, 3>&) override {
        return std::make_unique<ReferenceFft>(*this, extents, batch);
    }

private:
    static Complex of_map(const Array& map, std::size_t n) {
        return map.empty() ? Complex(1) : values_of(map)[n];
    }
};

} // namespace

std::unique_ptr<Device> make_reference_device() {
    return std::make_unique<ReferenceDevice>();
}

} // namespace lsrecon
