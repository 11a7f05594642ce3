// Every verb as plain loops: the formulas of device.hpp, and nothing else.

#include <vector>

#include "base/fft.hpp"
#include "base/machine.hpp"
#include "device/device.hpp"

namespace lsrecon {

namespace {

/// Complex numbers, also of real arrays.
struct HostMemory : Array::Memory {
    std::vector<Complex> values;
};

std::vector<Complex>& values_of(const Array& array) {
    return static_cast<HostMemory*>(array.memory())->values;
}

class HostFft : public FftPlan {
public:
    HostFft(const std::array<std::size_t, 3>& extents, std::size_t batch) : fft_(extents, batch) {}
    std::string library() const override { return Fft<double>::version(); }
    void forward(Array& values) override { fft_.forward(values_of(values).data()); }
    void backward(Array& values) override { fft_.backward(values_of(values).data()); }

private:
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

class ReferenceDevice : public Device {
public:
    std::string name() const override { return "the CPU"; }
    bool has(Precision precision) const override { return precision == Precision::float64; }
    double memory() const override { return memory_limit().bytes; }
    double largest_array() const override { return memory(); }

    Array zeros(std::size_t count, Element element) override {
        auto memory = std::make_shared<HostMemory>();
        memory->values.assign(count, Complex(0));
        return {count, {element.complex, Precision::float64}, std::move(memory)};
    }
    void upload(const ComplexVector& from, Array& to) override {
        values_of(to).assign(from.data(), from.data() + from.size());
    }
    ComplexVector download(const Array& from) override {
        return Eigen::Map<const ComplexVector>(values_of(from).data(),
                                               static_cast<Eigen::Index>(from.count()));
    }

    void combine(double a, const Array& x, double b, Array& y) override {
        for (std::size_t i = 0; i < y.count(); ++i) {
            values_of(y)[i] = a * values_of(x)[i] + b * values_of(y)[i];
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

    std::unique_ptr<FftPlan> plan_fft(const std::array<std::size_t, 3>& extents, std::size_t batch,
                                      Precision) override {
        return std::make_unique<HostFft>(extents, batch);
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
