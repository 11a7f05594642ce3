// The verbs of every device beside the plain loops of the reference, for as many numbers as all
// cores share.

#include <gtest/gtest.h>

#include "device/host_device.hpp"
#include "support/arrays_fixture.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;

class Verbs : public test::ArraysFixture {
protected:
    std::unique_ptr<Device> reference = make_reference_device();

    /// work(device, arrays of these values) changes the arrays in the same way on both devices.
    template <typename Work>
    void expect_same(const std::vector<ComplexVector>& values, double roundings, const Work& work) {
        std::vector<std::vector<ComplexVector>> results;
        for (Device* const device : {&on.device(), reference.get()}) {
            std::vector<Array> arrays;
            for (const ComplexVector& of_array : values) {
                arrays.push_back(
                    device->zeros(static_cast<std::size_t>(of_array.size()), {true, on.precision}));
                device->upload(of_array, arrays.back());
            }
            work(*device, arrays);
            results.emplace_back();
            for (const Array& array : arrays) {
                results.back().push_back(device->download(array));
            }
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_TRUE(near(results[0][i], results[1][i], bound(roundings))) << "array " << i;
        }
    }
};

TEST_P(Verbs, OneNumberAtATimeOfMany) {
    const std::size_t n = 263171;
    const std::size_t half = 131072;
    expect_same({vector(n), vector(n), vector(n + 5), vector(half + 3), vector(2 * half)}, 12,
                [&](Device& device, std::vector<Array>& x) {
                    device.combine(0.3, x[0], -1.7, x[1]);
                    device.copy(x[2], 5, x[0]);
                    device.add_conjugate_product(x[1], x[2], 4, x[0]);
                    device.multiply(x[3], 3, half, x[4]);
                    device.multiply_conjugate(x[3], 2, half, x[4]);
                    Array reals = device.zeros(n + 1, {false, on.precision});
                    device.keep_real(x[0], 0.7, 1, reals);
                    device.multiply(reals, 1, n, x[1]);
                });
    for (const std::size_t count : {std::size_t(5), n}) { // one array twice
        expect_same({vector(count), vector(count)}, 6, [&](Device& device, std::vector<Array>& x) {
            device.combine(0.3, x[0], -1.7, x[0]);
            device.combine(0.3, x[1], 0, x[1]);
        });
    }
    ComplexVector unknown = vector(n);
    unknown(11) = std::numeric_limits<double>::quiet_NaN();
    expect_same({vector(n), unknown}, 4,
                [&](Device& device, std::vector<Array>& x) { device.combine(-2, x[0], 0, x[1]); });
    const ComplexVector a = vector(n);
    const ComplexVector b = vector(n);
    EXPECT_NEAR(on.device().dot(of(a), of(b)), a.dot(b).real(), bound() * a.norm() * b.norm());
}

std::vector<test::ArrayCase> of_devices() {
    std::vector<test::ArrayCase> cases = test::verb_cases();
    cases.erase(std::remove_if(cases.begin(), cases.end(),
                               [](const test::ArrayCase& of) {
                                   return of.backend.rfind("reference", 0) == 0;
                               }),
                cases.end());
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Devices, Verbs, testing::ValuesIn(of_devices()));

} // namespace
} // namespace lsrecon
