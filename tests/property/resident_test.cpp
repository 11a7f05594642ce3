// What stays on a device between the stages, on every device and in every precision: volumes and
// coil maps.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "device/host_device.hpp"
#include "device/volume.hpp"
#include "operators/coil_maps.hpp"
#include "operators/gram.hpp"
#include "support/arrays_fixture.hpp"
#include "support/numbers.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::near;

using VolumeOn = test::ArraysFixture;

TEST_P(VolumeOn, HasTheValuesOfItsArrayTimesThePowerOfTwo) {
    for (const int exponent : {0, -5, 300}) {
        const ComplexVector x = vector(65);
        const ComplexVector expected = std::ldexp(1.0, exponent) * on.device().download(of(x));
        const Volume volume(on.device(), of(x), exponent);
        EXPECT_EQ(volume.count(), 65U);
        EXPECT_EQ(volume.values(), expected);
        EXPECT_EQ(volume.value(64), expected(64));
        EXPECT_NEAR(volume.norm(), expected.norm(), bound() * expected.norm());
    }
}

TEST_P(VolumeOn, IsAnArrayOfItsDeviceTimesAFactor) {
    const ComplexVector x = vector(63);
    const Volume volume(on.device(), of(x), 3);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        if (on.device().has(precision)) {
            const Array there = volume.on(on.device(), precision, 0.3);
            EXPECT_EQ(there.element().precision, precision);
            EXPECT_TRUE(near(on.device().download(there), ComplexVector(0.3 * 8 * x),
                             4 * std::max(on.epsilon(), unit_roundoff(precision))));
        }
    }
    EXPECT_EQ(volume.values(), Volume(on.device(), of(x), 3).values()) << "it is left as it was";
}

// Either factor alone leaves the range of the numbers.
TEST_P(VolumeOn, OfANumberThatIsOutOfRangeIsThereTimesItsInverse) {
    const ComplexVector x = vector(63);
    for (const int exponent : {700, -700}) {
        const Volume volume(on.device(), of(x), exponent);
        const Array there = volume.on(on.device(), on.precision, std::ldexp(1.0, 1 - exponent));
        EXPECT_TRUE(near(on.device().download(there), ComplexVector(2 * x), bound()));
    }
}

TEST_P(VolumeOn, GoesToAnotherDeviceAndComesFromTheHost) {
    const ComplexVector x = vector(64);
    const auto reference = make_reference_device();
    const Volume volume(on.device(), of(x), -2);
    EXPECT_TRUE(
        near(reference->download(volume.on(*reference, Precision::float64, 4)), x, bound()));
    const Volume of_host(x);
    EXPECT_EQ(of_host.count(), 64U);
    EXPECT_EQ(of_host.values(), x);
    EXPECT_EQ(of_host.value(63), x(63));
    EXPECT_NEAR(of_host.norm(), x.norm(), tolerance::reference(0, 64) * x.norm());
    EXPECT_TRUE(near(on.device().download(of_host.on(on.device(), on.precision, 0.5)),
                     ComplexVector(0.5 * x), bound()));
}

INSTANTIATE_TEST_SUITE_P(Devices, VolumeOn, testing::ValuesIn(test::array_cases()));

class CoilMapsOn : public test::ArraysFixture {
protected:
    test::Problem problem = [] {
        test::Case of{"maps", {7, 5, 3}, 65, 3};
        of.coil_maps = true;
        return test::make_problem(of);
    }();
    std::size_t voxels() const { return problem.voxels.count(); }

    /// Of N with these maps.
    ComplexVector product(CoilMaps& maps) {
        const Q q = test::exact_q(*problem.trajectory, problem.grid);
        Toeplitz gram(on.device(), q, on.precision, maps);
        Array out = on.device().zeros(voxels(), {true, on.precision});
        gram.apply(of(problem.rho.row(0).transpose()), out);
        return on.device().download(out);
    }
};

TEST_P(CoilMapsOn, ResidentAndStreamedGiveTheSameProductToTheLastBit) {
    const CoilRows::Floats floats = problem.coil_maps.cast<std::complex<float>>();
    for (const CoilRows& rows : {CoilRows(problem.coil_maps), CoilRows(floats)}) {
        CoilMaps maps(on.device(), rows);
        EXPECT_EQ(maps.map(1, 0).memory(), maps.map(1, 1).memory()) << "it is there once";
        const ComplexVector resident = product(maps);
        maps.stream();
        EXPECT_NE(maps.map(1, 0).memory(), maps.map(1, 1).memory()) << "a slot each";
        EXPECT_EQ(product(maps), resident);
        EXPECT_GT(resident.norm(), 0);
    }
}

TEST_P(CoilMapsOn, WithoutRoomForAllTheyComeOneByOne) {
    if (on.backend != "opencl") {
        return; // the reference has all memory
    }
    const CoilRows rows = problem.coil_maps;
    on.open("", 3000); // of 105 voxels, three coils
    CoilMaps maps(on.device(), rows);
    const double before = on.device().room();
    const Array first = maps.map(0, 0);
    EXPECT_LT(on.device().room(), before) << "it came when it was asked for";
    EXPECT_TRUE(near(on.device().download(first),
                     ComplexVector(problem.coil_maps.row(0).transpose()), tolerance::eps));
    const Array again = maps.map(2, 0);
    EXPECT_EQ(again.memory(), first.memory()) << "in the same slot";
    EXPECT_TRUE(near(on.device().download(again),
                     ComplexVector(problem.coil_maps.row(2).transpose()), tolerance::eps));
}

TEST_P(CoilMapsOn, DoublesThatAreFloatsStaySingle) {
    const CoilMatrix floats = problem.coil_maps.cast<std::complex<float>>().cast<Complex>();
    const auto precision_of = [&](const CoilMatrix& values) {
        const CoilRows rows = values;
        return CoilMaps(on.device(), rows).map(0, 0).element().precision;
    };
    const bool has_both =
        on.device().has(Precision::float32) && on.device().has(Precision::float64);
    if (has_both) {
        EXPECT_EQ(precision_of(floats), Precision::float32);
        EXPECT_EQ(precision_of(problem.coil_maps), Precision::float64);
        CoilMatrix one_is_not = floats;
        one_is_not(2, 104) += Complex(0, 1e-12);
        EXPECT_EQ(precision_of(one_is_not), Precision::float64);
    }
}

TEST_P(CoilMapsOn, PartsAreThoseOfTheWhole) {
    const CoilRows rows = problem.coil_maps;
    CoilMaps maps(on.device(), rows);
    for (const bool streamed : {false, true}) {
        const ComplexVector whole = on.device().download(maps.map(2, 0));
        EXPECT_EQ(on.device().download(maps.part(2, {35, 70})), ComplexVector(whole.tail(70)));
        EXPECT_EQ(on.device().download(maps.part(2, {0, voxels()})), whole);
        if (!streamed) {
            maps.stream();
        }
    }
}

TEST_P(CoilMapsOn, NoneIsOneOfOnes) {
    const CoilRows none;
    CoilMaps maps(on.device(), none);
    EXPECT_FALSE(maps.given());
    EXPECT_EQ(maps.count(), 1U);
    EXPECT_TRUE(maps.map(0, 0).empty());
    const CoilRows of_ones = CoilMatrix(CoilMatrix::Ones(1, 105));
    CoilMaps ones(on.device(), of_ones);
    EXPECT_TRUE(near(product(maps), product(ones), bound()));
}

INSTANTIATE_TEST_SUITE_P(Devices, CoilMapsOn, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
