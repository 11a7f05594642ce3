#include "base/fft.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;

ComplexVector vector(const std::vector<Complex>& values) {
    return Eigen::Map<const ComplexVector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

TEST(Fft, OfOneValueAtIndexOne) {
    const Complex i(0, 1);
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

/// The convolution of an image with the function of a period that is twice as long along the
/// slowest dimension, of which `spectrum` is the transform, from a transform of that whole period.
ComplexVector convolved(const std::array<std::size_t, 3>& extents, const ComplexVector& image,
                        const RealVector& even, const RealVector& odd) {
    std::array<std::size_t, 3> twice = extents;
    const std::size_t slowest = extents[2] > 1 ? 2 : extents[1] > 1 ? 1 : 0;
    twice[slowest] *= 2;
    const Fft<double> fft(twice);
    const Eigen::Index n = image.size();
    ComplexVector period = ComplexVector::Zero(2 * n);
    period.head(n) = image; // the slowest dimension is last in memory
    fft.forward(period.data());
    const auto row = static_cast<Eigen::Index>(static_cast<std::size_t>(n) / extents[slowest]);
    for (Eigen::Index k = 0; k < 2 * n; ++k) {
        const Eigen::Index frequency = k / row;
        const RealVector& spectrum = frequency % 2 == 0 ? even : odd;
        period(k) *= spectrum(frequency / 2 * row + k % row);
    }
    fft.backward(period.data());
    return period.head(n);
}

ComplexVector by_lines(const Fft<double>& fft, const ComplexVector& image,
                       const Fft<double>::Spectra& spectra, bool threads,
                       const Fft<double>::Spectra* of_odd = nullptr) {
    ComplexVector stored(image.size());
    ComplexVector workspace((of_odd == nullptr ? 1 : 2) * image.size());
    fft.convolve(spectra, of_odd,
                 {[&](std::size_t first, std::size_t count, Complex* to) {
                      std::copy_n(image.data() + first, count, to);
                  },
                  [&](std::size_t first, std::size_t count, const Complex* from) {
                      std::copy_n(from, count, stored.data() + first);
                  }},
                 workspace.data(), threads ? nullptr : fft.scratch().get());
    return stored;
}

TEST(Fft, ConvolvesInTwiceThePeriodOfTheSlowestDimension) {
    test::Random random(7);
    for (const std::array<std::size_t, 3>& extents : {std::array<std::size_t, 3>{6, 1, 1},
                                                      {1, 9, 1},
                                                      {30, 14, 1},
                                                      {5, 7, 9},
                                                      {12, 4, 2},
                                                      {3, 1, 10},
                                                      {200, 210, 1}}) {
        const Fft<double> fft(extents);
        const RealVector even = random.vector(fft.count()).real();
        const RealVector odd = random.vector(fft.count()).imag();
        const ComplexVector image = random.vector(fft.count());
        ComplexVector circular = image;
        fft.forward(circular.data());
        circular.array() *= even.array();
        fft.backward(circular.data());
        const double bound = 3 * tolerance::reference(1, fft.count());
        for (const bool threads : {false, true}) {
            EXPECT_TRUE(near(by_lines(fft, image, {even.data(), odd.data()}, threads),
                             convolved(extents, image, even, odd), bound))
                << extents[0] << " " << extents[1];
            EXPECT_TRUE(
                near(by_lines(fft, image, {even.data(), nullptr}, threads), circular, bound))
                << extents[0] << " " << extents[1];
        }
    }
}

TEST(Fft, ConvolvesInTwiceThePeriodOfTheFastestDimensionToo) {
    test::Random random(8);
    for (const std::array<std::size_t, 3>& extents :
         {std::array<std::size_t, 3>{30, 14, 1}, {5, 1, 9}, {200, 210, 1}}) {
        const Fft<double> fft(extents);
        const ComplexVector of_even = random.vector(fft.count());
        const ComplexVector of_odd = random.vector(fft.count());
        const RealVector spectra[] = {of_even.real(), of_even.imag(), of_odd.real(), of_odd.imag()};
        const Fft<double>::Spectra odd{spectra[2].data(), spectra[3].data()};
        const ComplexVector image = random.vector(fft.count());
        ComplexVector twist(image.size());
        for (Eigen::Index n = 0; n < twist.size(); ++n) {
            const auto x = static_cast<double>(static_cast<std::size_t>(n) % extents[0]);
            twist(n) = std::polar(1.0, -pi * x / static_cast<double>(extents[0]));
        }
        const ComplexVector turned = image.cwiseProduct(twist);
        const ComplexVector expected =
            convolved(extents, image, spectra[0], spectra[1]) +
            twist.conjugate().cwiseProduct(convolved(extents, turned, spectra[2], spectra[3]));
        for (const bool threads : {false, true}) {
            EXPECT_TRUE(
                near(by_lines(fft, image, {spectra[0].data(), spectra[1].data()}, threads, &odd),
                     expected, 3 * tolerance::reference(1, fft.count())))
                << extents[0] << " " << extents[1];
        }
    }
}

// Frequencies that are 0, or not wanted, change nothing.
TEST(CroppedFft, IsTheWholeOneOfEachArray) {
    test::Random random(11);
    using Extents = std::array<std::size_t, 3>;
    for (const auto& [extents, kept] : {std::pair<Extents, Extents>{{9, 1, 1}, {4, 1, 1}},
                                        {{8, 6, 1}, {5, 6, 1}},
                                        {{20, 18, 12}, {13, 11, 1}},
                                        {{40, 36, 30}, {32, 27, 20}}}) {
        const Fft<double> fft(extents);
        const std::size_t rows = kept[1] * kept[2];
        const auto frequency = [&](std::size_t d, std::size_t n) {
            return (n + extents[d] - kept[d] / 2) % extents[d];
        };
        const auto index_of = [&](std::size_t r, std::size_t x, const Extents& in) {
            return (frequency(2, r / kept[1]) * in[1] + frequency(1, r % kept[1])) * in[0] +
                   frequency(0, x);
        };
        for (const std::size_t arrays : {1, 3, 4, 8}) {
            const Extents padded{extents[0] + 5, extents[1] + 2, extents[2] + 1};
            const CroppedFft<double> cropped({extents, kept, padded, arrays});
            const CoilMatrix inside = random.matrix(arrays, rows * kept[0]);
            // What is not written in memory before is not read.
            ComplexVector memory = random.vector(padded[0] * padded[1] * padded[2] * arrays);
            cropped.forward(
                [&](std::size_t a, std::size_t r, Complex* row) {
                    for (std::size_t x = 0; x < kept[0]; ++x) {
                        row[frequency(0, x)] = inside(a, r * kept[0] + x);
                    }
                },
                memory.data());
            CoilMatrix whole = CoilMatrix::Zero(arrays, fft.count());
            CoilMatrix found(arrays, fft.count());
            for (std::size_t a = 0; a < arrays; ++a) {
                for (std::size_t n = 0; n < rows * kept[0]; ++n) {
                    whole(a, index_of(n / kept[0], n % kept[0], extents)) = inside(a, n);
                }
                fft.forward(&whole(a, 0));
                for (std::size_t n = 0; n < fft.count(); ++n) {
                    const std::size_t row = n / extents[0];
                    const std::size_t at =
                        (row / extents[1] * padded[1] + row % extents[1]) * padded[0] +
                        n % extents[0];
                    found(a, n) = memory(at * arrays + a);
                }
            }
            const double bound = 3 * tolerance::reference(1, fft.count());
            EXPECT_LE((found - whole).norm(), bound * whole.norm()) << extents[0] << " " << arrays;

            CoilMatrix back(arrays, rows * kept[0]);
            cropped.backward(
                [&](std::size_t a, std::size_t r, const Complex* row) {
                    for (std::size_t x = 0; x < kept[0]; ++x) {
                        back(a, r * kept[0] + x) = row[frequency(0, x)];
                    }
                },
                memory.data());
            const CoilMatrix wanted = static_cast<double>(fft.count()) * inside;
            EXPECT_LE((back - wanted).norm(), bound * wanted.norm()) << extents[0] << " " << arrays;
        }
    }
}

TEST(Fft, APlanThatFftwDoesNotMakeIsAnError) {
    EXPECT_THROW(Fft<double>({0, 4, 1}), DeviceError);
    EXPECT_THROW(Fft<float>({0, 4, 1}), DeviceError);
}

} // namespace
} // namespace lsrecon
