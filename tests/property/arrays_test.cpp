// The verbs of arrays on every device and in every precision, against Eigen. That crop is the
// adjoint of pad is in adjoint_test.cpp.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "support/arrays_fixture.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;

using Arrays = test::ArraysFixture;

constexpr std::size_t counts[] = {1, 63, 64, 65, 597, 70001};

TEST_P(Arrays, ComeBackAsTheyWent) {
    for (const std::size_t count : counts) {
        const ComplexVector x = vector(count);
        EXPECT_TRUE(near(on.device().download(of(x)), x, bound()));
    }
    EXPECT_EQ(on.device().download(on.device().zeros(5, {true, on.precision})).norm(), 0);
}

TEST_P(Arrays, MoreThanIsCopiedAtATimeComesBack) {
    constexpr std::size_t count = 5'000'001; // 40 or 80 MB
    ComplexVector values(static_cast<Eigen::Index>(count));
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        values(i) = {static_cast<double>(i), -static_cast<double>(i % 4096)}; // floats hold them
    }
    Array array = on.device().zeros(count, {true, on.precision});
    on.device().upload(values, array);
    EXPECT_EQ(on.device().download(array), values);
    EXPECT_EQ(on.device().download(array, 3'000'000, 2'000'000),
              values.segment(3'000'000, 2'000'000));
}

TEST_P(Arrays, PartsOfThemComeBack) {
    const ComplexVector x = vector(597);
    const Array array = of(x);
    const ComplexVector all = on.device().download(array);
    for (const auto& [first, count] : {std::pair<int, int>{0, 1}, {596, 1}, {63, 65}, {0, 597}}) {
        EXPECT_EQ(on.device().download(array, static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(count)),
                  ComplexVector(all.segment(first, count)));
    }
}

TEST_P(Arrays, PartsOfCoilRowsGoUpTimesAPowerOfTwo) {
    const CoilMatrix doubles = random.matrix(5, 67);
    const CoilRows::Floats floats = doubles.cast<std::complex<float>>();
    const Range rows{1, 3};
    const Range columns{2, 64};
    for (const CoilRows& from : {CoilRows(doubles), CoilRows(floats)}) {
        for (const int exponent : {0, -3, 100}) {
            Array array = on.device().zeros(rows.count * columns.count, {true, on.precision});
            on.device().upload(from, rows, columns, exponent, array);
            const CoilMatrix expected = from.to_doubles().block(1, 2, 3, 64);
            EXPECT_TRUE(near(ComplexVector(on.device().download(array)),
                             ComplexVector(std::ldexp(1.0, exponent) * test::flat(expected)),
                             bound(1)))
                << exponent;
        }
    }
}

// A power of two, however large, changes no digit.
TEST_P(Arrays, CoilRowsBeyondFloatsComeBackByTheirExponent) {
    CoilRows::Floats ones = random.matrix(2, 33).cast<std::complex<float>>();
    const CoilMatrix exact = ones.cast<Complex>();
    const CoilRows far = CoilMatrix(exact * 0x1p-900);
    Array array = on.device().zeros(66, {true, on.precision});
    on.device().upload(far, {0, 2}, {0, 33}, 900, array);
    EXPECT_EQ(on.device().download(array), test::flat(exact));
}

TEST_P(Arrays, PartsOfRealNumbersGoUpTimesAPowerOfTwo) {
    const RealVector numbers = RealVector::NullaryExpr(130, [&] { return random.uniform(-1, 1); });
    for (const int exponent : {0, -40}) {
        Array real = on.device().zeros(65, {false, on.precision});
        on.device().upload(numbers, {63, 65}, exponent, real);
        Array ones = of(ComplexVector::Ones(65)); // real arrays are factors: that is how they show
        on.device().multiply(real, 0, 65, ones);
        const ComplexVector expected =
            std::ldexp(1.0, exponent) * numbers.segment(63, 65).cast<Complex>();
        EXPECT_TRUE(near(on.device().download(ones), expected, bound(1)));
    }
}

TEST_P(Arrays, CopyOfAPart) {
    const ComplexVector x = vector(200);
    for (const std::size_t count : {1, 63, 65}) {
        Array to = of(vector(count));
        on.device().copy(of(x), 130, to);
        EXPECT_EQ(on.device().download(to), on.device().download(of(x), 130, count));
    }
}

TEST_P(Arrays, ConvertRoundsToThePrecisionOfTheResult) {
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        if (!on.device().has(precision)) {
            continue;
        }
        for (const std::size_t count : {1, 65, 597}) {
            const ComplexVector there = on.device().download(of(vector(count)));
            Array to = on.device().zeros(count, {true, precision});
            on.device().convert(of(there), to);
            const bool narrower = bytes_of(precision) < bytes_of(on.precision);
            EXPECT_EQ(on.device().download(to),
                      narrower ? ComplexVector(there.cast<std::complex<float>>().cast<Complex>())
                               : there);
        }
    }
}

TEST_P(Arrays, ComplexFactorsOfEitherPrecisionServeEveryRepetition) {
    const std::size_t count = 65;
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        if (!on.device().has(precision)) {
            continue;
        }
        const ComplexVector values = vector(3 * count);
        const ComplexVector f = vector(2 * count);
        Array factors = on.device().zeros(2 * count, {true, precision});
        on.device().upload(f, factors);
        Array result = of(values);
        on.device().multiply(factors, 7, count, result);
        ComplexVector expected = values;
        for (Eigen::Index i = 0; i < expected.size(); ++i) {
            expected(i) *= f(7 + i % static_cast<Eigen::Index>(count));
        }
        EXPECT_TRUE(near(on.device().download(result), expected,
                         4 * std::max(unit_roundoff(precision), on.epsilon())));
    }
}

TEST_P(Arrays, ConjugateProductsWithMapsOfEitherPrecisionAddUp) {
    const Eigen::Index count = 63;
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        if (!on.device().has(precision)) {
            continue;
        }
        const ComplexVector map = vector(63);
        const ComplexVector in = vector(3 * 63);
        const ComplexVector before = vector(63);
        Array factors = on.device().zeros(63, {true, precision});
        on.device().upload(map, factors);
        Array out = of(before);
        on.device().add_conjugate_product(factors, of(in), 2 * 63, out);
        const ComplexVector expected =
            before + map.conjugate().cwiseProduct(in.segment(2 * count, count));
        EXPECT_TRUE(near(on.device().download(out), expected,
                         4 * std::max(unit_roundoff(precision), on.epsilon())));
    }
}

TEST_P(Arrays, Combine) {
    for (const std::size_t count : counts) {
        const ComplexVector x = vector(count);
        const ComplexVector y = vector(count);
        Array result = of(y);
        on.device().combine(0.5, of(x), -3, result);
        EXPECT_TRUE(near(on.device().download(result), ComplexVector(0.5 * x - 3 * y), bound()));
    }
}

/// Re sum conj(x) y, whose own error is below that of doubles.
double exact_dot(const ComplexVector& x, const ComplexVector& y) {
    long double sum = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        sum += static_cast<long double>(x(i).real()) * y(i).real() +
               static_cast<long double>(x(i).imag()) * y(i).imag();
    }
    return static_cast<double>(sum);
}

// The plain loops of the reference do lose: the square root of the length.
TEST_P(Arrays, DotProductsLoseNothingToTheirLength) {
    const bool plain = on.backend.rfind("reference", 0) == 0;
    for (const std::size_t count : counts) {
        const ComplexVector x = vector(count);
        const ComplexVector y = vector(count);
        const double roundings = plain ? 4 + std::sqrt(static_cast<double>(count)) : 4;
        EXPECT_NEAR(on.device().dot(of(x), of(y)), exact_dot(x, y),
                    bound(roundings) * x.norm() * y.norm());
        EXPECT_NEAR(on.device().dot(of(x), of(x)), exact_dot(x, x),
                    bound(roundings) * x.squaredNorm());
    }
}

// Every work-item of a device meets its large value first, then ones that a float of its size would
// lose, then the large value taken back: only the ones are left.
TEST_P(Arrays, DotProductsLoseNothingToTheSizesOfTheirTerms) {
    constexpr Eigen::Index items = 128;
    constexpr Eigen::Index rounds = 50;
    ComplexVector a = ComplexVector::Constant(items * rounds, {1, -1});
    a.head(items).setConstant({0x1p30, 0x1p29});
    a.tail(items).setConstant({-0x1p30, -0x1p29});
    const ComplexVector b = ComplexVector::Constant(a.size(), {1, 0.5});
    EXPECT_EQ(on.device().dot(of(a), of(b)), 0.5 * items * (rounds - 2));
}

TEST_P(Arrays, RealFactorsServeEveryRepetition) {
    const std::size_t count = 65;
    const ComplexVector values = vector(3 * count);
    const ComplexVector f = vector(2 * count);
    Array real = on.device().zeros(2 * count, {false, on.precision});
    on.device().keep_real(of(f), 2, 0, real);
    Array result = of(values);
    on.device().multiply(real, count, count, result);
    ComplexVector expected = values;
    for (Eigen::Index i = 0; i < expected.size(); ++i) {
        expected(i) *= 2 * f(count + i % static_cast<Eigen::Index>(count)).real();
    }
    EXPECT_TRUE(near(on.device().download(result), expected, bound()));
}

TEST_P(Arrays, PadPutsAValueWhereItStands) {
    Box box{{3, 2, 1}, {-1, 0, 0}, {4, 2, 1}, {}};
    box.factors = of(ComplexVector::Ones(6));
    ComplexVector in(6);
    in << 1, 2, 3, 4, 5, 6;
    Array out = on.device().zeros(8, {true, on.precision});
    on.device().pad(box, {}, of(in), 0, out);
    ComplexVector expected(8);
    expected << 2, 3, 0, 1, 5, 6, 0, 4;
    EXPECT_EQ(on.device().download(out), expected);
}

INSTANTIATE_TEST_SUITE_P(Devices, Arrays, testing::ValuesIn(test::verb_cases()));

} // namespace
} // namespace lsrecon
