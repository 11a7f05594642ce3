// The verbs of every device beside the plain loops of the reference: grids of one to three
// dimensions, single lines, filters longer than the grid, and as many voxels as all cores share.

#include <gtest/gtest.h>

#include "device/reference_device.hpp"
#include "support/arrays_fixture.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;

using Size = std::array<std::size_t, 3>;

constexpr Size sizes[] = {{1, 1, 1}, {2, 1, 1},   {1, 3, 1},     {5, 4, 1},
                          {3, 4, 5}, {1, 9, 2},   {67, 2, 3},    {13, 16, 1},
                          {6, 1, 7}, {2, 2, 131}, {517, 511, 1}, {65, 64, 66}};

class Verbs : public test::ArraysFixture {
protected:
    std::unique_ptr<Device> reference = make_reference_device();

    static std::size_t voxels(const Size& size) { return size[0] * size[1] * size[2]; }

    /// work(device, arrays of these values) changes the arrays alike on both devices.
    template <typename Work> void expect_alike(const Size& size,
                                               const std::vector<ComplexVector>& values,
                                               double roundings, const Work& work) {
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
            EXPECT_TRUE(near(results[0][i], results[1][i], bound(roundings)))
                << size[0] << " " << size[1] << " " << size[2] << " array " << i;
        }
    }
};

TEST_P(Verbs, DifferencesOfNeighboursAndTheirAdjoint) {
    for (const Size& size : sizes) {
        const std::size_t n = voxels(size);
        for (std::size_t d = 0; d < 3; ++d) {
            for (const bool with_factors : {false, true}) {
                const RealVector values = vector(2 * n).real();
                const auto factors = [&](Device& device) {
                    Array of = with_factors ? device.zeros(2 * n, {false, on.precision}) : Array();
                    if (with_factors) {
                        device.upload(values, {0, 2 * n}, 0, of);
                    }
                    return of;
                };
                expect_alike(size, {vector(n), vector(2 * n)}, 3,
                             [&](Device& device, std::vector<Array>& x) {
                                 device.difference(size, d, factors(device), x[0], 1, x[1]);
                             });
                expect_alike(size, {vector(2 * n), vector(n)}, 4,
                             [&](Device& device, std::vector<Array>& x) {
                                 device.add_difference_adjoint(size, d, factors(device), 1, x[0],
                                                               x[1]);
                             });
            }
        }
    }
}

TEST_P(Verbs, FiltersAndTheirAdjoint) {
    const Taps taps{0.3, -0.7, 0.2, 1.1};
    for (const Size& size : sizes) {
        const std::size_t n = voxels(size);
        const bool is_large = n > 100000;
        for (std::size_t d = 0; d < 3; ++d) {
            for (const std::size_t step :
                 is_large ? std::vector<std::size_t>{2} : std::vector<std::size_t>{1, 2, 4}) {
                expect_alike(
                    size, {vector(2 * n), vector(n), vector(3 * n)}, 8,
                    [&](Device& device, std::vector<Array>& x) {
                        device.filter(size, d, step, taps, {x[0], 1}, {x[1], 0}, {x[2], 2});
                    });
                expect_alike(
                    size, {vector(2 * n), vector(n), vector(3 * n)}, 12,
                    [&](Device& device, std::vector<Array>& x) {
                        device.filter_adjoint(size, d, step, taps, {x[0], 1}, {x[1], 0}, {x[2], 2});
                    });
            }
        }
    }
}

TEST_P(Verbs, CosinesOfAGrid) {
    for (const Size& size : sizes) {
        const std::size_t n = voxels(size);
        expect_alike(size, {vector(n), vector(n), vector(n)}, 1,
                     [&](Device& device, std::vector<Array>& x) {
                         device.interleave(size, x[0], x[1]);
                         device.deinterleave(size, x[0], x[2]);
                     });
        ComplexVector phase_factors = vector(size[0] + size[1] + size[2]);
        phase_factors.array() /= phase_factors.array().abs();
        const RealVector f = vector(n).real();
        expect_alike(size, {phase_factors, vector(n)}, 40,
                     [&](Device& device, std::vector<Array>& x) {
                         Array factors = device.zeros(n, {false, on.precision});
                         device.upload(f, {0, n}, 0, factors);
                         device.multiply_in_cosines(size, x[0], factors, x[1]);
                     });
    }
}

// Among them vectors of zeros, which no length shortens.
TEST_P(Verbs, VectorsAreShortened) {
    for (const std::size_t count : {1, 5, 1023, 1025, 140001}) {
        for (const std::size_t parts : {1, 2, 3}) {
            const std::size_t first = 3;
            ComplexVector values = vector(first + parts * count);
            for (std::size_t i = 0; i < parts; ++i) {
                values(static_cast<Eigen::Index>(first + i * count + count / 2)) = 0;
            }
            for (const double length : {0.0, 0.4, 100.0}) {
                expect_alike({count, parts, 1}, {values}, 30,
                             [&](Device& device, std::vector<Array>& x) {
                                 device.shrink(first, count, parts, length, x[0]);
                             });
            }
        }
    }
}

// Of any size, and the same vector comes out the same wherever it stands.
TEST_P(Verbs, VectorsAreShortenedAlikeWhereverTheyStand) {
    for (const double size : {1.0, 0x1p40}) {
        ComplexVector values = size * vector(300001);
        const auto shortened = [&](const ComplexVector& of_values) {
            Array array = of(of_values);
            on.device().shrink(0, array.count(), 1, 0.4 * size, array);
            return on.device().download(array);
        };
        const ComplexVector all = shortened(values);
        EXPECT_EQ(all.segment(7, 20000), shortened(values.segment(7, 20000)));
        const RealVector norms = values.cwiseAbs();
        const ComplexVector expected =
            values.array() * (1 - 0.4 * size / norms.array()).max(0).cast<Complex>();
        EXPECT_TRUE(near(all, expected, bound(30)));
    }
}

TEST_P(Verbs, OneNumberAtATimeOfMany) {
    const std::size_t n = 263171;
    const std::size_t half = 131072;
    expect_alike({n, 1, 1},
                 {vector(n), vector(n), vector(n + 5), vector(half + 3), vector(2 * half)}, 12,
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
        expect_alike({count, 1, 1}, {vector(count), vector(count)}, 6,
                     [&](Device& device, std::vector<Array>& x) {
                         device.combine(0.3, x[0], -1.7, x[0]);
                         device.combine(0.3, x[1], 0, x[1]);
                     });
    }
    ComplexVector unknown = vector(n);
    unknown(11) = std::numeric_limits<double>::quiet_NaN();
    expect_alike({n, 1, 1}, {vector(n), unknown}, 4,
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
