// The verbs of arrays on every device and in every precision, against Eigen; pad and crop are each
// other's adjoint.

#include <gtest/gtest.h>

#include "base/tolerance.hpp"
#include "support/arrays.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::ArrayCase;
using test::near;

class Arrays : public testing::TestWithParam<ArrayCase> {
protected:
    void SetUp() override {
        on.open();
        if (!on.opened) { // tests/support/device_fixture.hpp says when that is a failure
            GTEST_SKIP() << "no device";
        }
        if (!on.device().has(on.precision)) {
            GTEST_SKIP() << "a device without this precision";
        }
    }

    ArrayCase on = GetParam();
    test::Random random{7};

    Array of(const ComplexVector& values) { return test::uploaded(on, values); }
    ComplexVector vector(std::size_t count) { return random.vector(count); }
    double bound(double roundings = 4) const { return roundings * on.epsilon(); }
};

constexpr std::size_t counts[] = {1, 63, 64, 65, 597, 70001};

TEST_P(Arrays, ComeBackAsTheyWent) {
    for (const std::size_t count : counts) {
        const ComplexVector x = vector(count);
        EXPECT_TRUE(near(on.device().download(of(x)), x, bound()));
    }
    EXPECT_EQ(on.device().download(on.device().zeros(5, {true, on.precision})).norm(), 0);
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
    const bool plain = on.backend != "opencl";
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

/// Centred, shifted and overlapping boxes of one to three dimensions.
std::vector<Box> boxes() {
    return {{{4, 3, 1}, {0, 0, 0}, {4, 3, 1}, {}},
            {{5, 4, 3}, {-2, -2, -1}, {7, 8, 3}, {}},
            {{9, 7, 5}, {-4, -3, 0}, {5, 4, 5}, {}},
            {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {}},
            {{65, 2, 1}, {-32, 0, 0}, {70, 3, 2}, {}}};
}

TEST_P(Arrays, CropIsTheAdjointOfPad) {
    for (Box box : boxes()) {
        for (const bool with_map : {false, true}) {
            const std::size_t slot = 1;
            box.factors = of(vector(box.size[0] + box.size[1] + box.size[2]));
            const Array map = with_map ? of(vector(box.values())) : Array();
            const auto pad = [&](const ComplexVector& in) -> ComplexVector {
                Array out = on.device().zeros(2 * box.points(), {true, on.precision});
                on.device().pad(box, map, of(in), slot, out);
                return on.device().download(out).tail(static_cast<Eigen::Index>(box.points()));
            };
            const auto crop = [&](const ComplexVector& in) {
                ComplexVector both = ComplexVector::Zero(2 * in.size());
                both.tail(in.size()) = in;
                Array out = on.device().zeros(box.values(), {true, on.precision});
                on.device().crop(box, map, of(both), slot, out);
                return on.device().download(out);
            };
            EXPECT_TRUE(test::adjoint_test(pad, crop, box.values(), box.points(), bound(20)));
        }
    }
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

TEST_P(Arrays, FftOfABatch) {
    const std::array<std::size_t, 3> extents{6, 5, 2};
    const std::size_t points = 60;
    const std::size_t batch = 3;
    const std::unique_ptr<FftPlan> fft = on.device().plan_fft(extents, batch, on.precision);
    const ComplexVector in = vector(batch * points);
    Array values = of(in);
    fft->forward(values);
    const ComplexVector there = on.device().download(values);
    for (std::size_t b = 0; b < batch; ++b) {
        const auto start = static_cast<Eigen::Index>(b * points);
        EXPECT_NEAR(std::abs(there(start) - in.segment(start, points).sum()), 0, points * bound());
    }
    fft->backward(values);
    EXPECT_TRUE(near(on.device().download(values), ComplexVector(double(points) * in),
                     tolerance::fft(points, on.epsilon())));
}

INSTANTIATE_TEST_SUITE_P(Devices, Arrays, testing::ValuesIn(test::array_cases()));

} // namespace
} // namespace lsrecon
