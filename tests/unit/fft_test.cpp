#include "base/fft.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;

const Complex i(0, 1);

ComplexVector vector(const std::vector<Complex>& values) {
    return Eigen::Map<const ComplexVector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

TEST(Fft, OfOneValueAtIndexOne) {
    const Fft<double> fft({4, 1, 1});
    ComplexVector values = vector({0, 1, 0, 0});
    fft.forward(values.data());
    EXPECT_TRUE(near(values, vector({1, -i, -1, i}), tolerance::reference(1, 4)));
    values = vector({0, 1, 0, 0});
    fft.backward(values.data());
    EXPECT_TRUE(near(values, vector({1, i, -1, -i}), tolerance::reference(1, 4)));
}

TEST(Fft, XIsTheFastestDimension) {
    const Fft<double> fft({2, 1, 2});
    ComplexVector values = vector({0, 1, 0, 0}); // at x = 1, z = 0
    fft.forward(values.data());
    EXPECT_TRUE(near(values, vector({1, -1, 1, -1}), tolerance::reference(1, 4)));
}

TEST(Fft, ThereAndBackMultipliesByTheNumberOfValues) {
    for (const std::array<std::size_t, 3>& extents :
         {std::array<std::size_t, 3>{1, 1, 1}, {6, 10, 1}, {3, 5, 7}, {2, 18, 4}}) {
        const Fft<double> fft(extents);
        EXPECT_EQ(fft.count(), extents[0] * extents[1] * extents[2]);
        const ComplexVector values = test::Random(3).vector(fft.count());
        ComplexVector there_and_back = values;
        fft.forward(there_and_back.data());
        fft.backward(there_and_back.data());
        EXPECT_TRUE(near(there_and_back, ComplexVector(static_cast<double>(fft.count()) * values),
                         tolerance::reference(1, fft.count())));
    }
}

TEST(Fft, APlanThatFftwDoesNotMakeIsAnError) {
    EXPECT_THROW(Fft<double>({0, 4, 1}), DeviceError);
    EXPECT_THROW(Fft<float>({0, 4, 1}), DeviceError);
}

} // namespace
} // namespace lsrecon
