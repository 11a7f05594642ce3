#include "scan/coil_transform.hpp"

#include "base/error.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"

namespace lsrecon {
namespace {

using test::near;
using test::Random;

constexpr double rounding = 1e-12; ///< of a few thousand products in doubles

Scan scan_with(CoilRows noise) {
    Scan scan;
    scan.file = "scan.h5";
    scan.noise = std::move(noise);
    return scan;
}

/// Noise that the coils share, in units far apart.
CoilMatrix correlated_noise(std::size_t coils) {
    CoilMatrix mixing = Random(1).matrix(coils, coils);
    mixing.diagonal().array() += 3;
    mixing.row(0) *= 1e-9;
    return mixing * Random(2).matrix(coils, 5000);
}

TEST(Whitening, MakesTheCovarianceTheIdentity) {
    const Scan scan = scan_with(correlated_noise(5));
    const CoilMatrix white = mixed(whitening(scan), scan.noise).to_doubles();
    const CoilMatrix covariance = white * white.adjoint() / 5000;
    const double mean = scan.noise.to_doubles().squaredNorm() / (5 * 5000);
    EXPECT_TRUE(near(covariance, mean * CoilMatrix::Identity(5, 5), rounding));
}

TEST(Whitening, IsThatOfEachCoilWhereTheyShareNothing) {
    CoilMatrix noise = CoilMatrix::Zero(2, 8);
    noise.row(0).head(4).setConstant(2);
    noise.row(1).tail(4).setConstant({0, 4});
    const CoilTransform w = whitening(scan_with(noise));
    CoilMatrix expected = CoilMatrix::Zero(2, 2);
    expected(0, 0) = std::sqrt(5 / 2.0); // 5 is the mean of 2 and 8
    expected(1, 1) = std::sqrt(5 / 8.0);
    EXPECT_TRUE(near(CoilMatrix(w), expected, rounding));
}

void expect_refused(const CoilMatrix& noise, const std::string& said) {
    try {
        whitening(scan_with(noise));
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_NE(error.fault().found.find(said), std::string::npos) << error.what();
        EXPECT_NE(error.fault().next_step.find("`no_whitening`"), std::string::npos);
    }
}

TEST(Whitening, OfASingularCovarianceIsRefused) {
    CoilMatrix noise = correlated_noise(4);
    noise.row(3) = 2 * noise.row(1);
    expect_refused(noise, "singular");
    noise.row(3).setZero();
    expect_refused(noise, "coil 3");
    expect_refused(correlated_noise(4).leftCols(7), "7 samples of 4 coils");
}

TEST(Compression, KeepsTheEnergyThatIsAskedFor) {
    // Two combinations of six coils hold nearly everything.
    const CoilMatrix samples =
        Random(3).matrix(6, 2) * Random(4).matrix(2, 900) + 1e-3 * Random(5).matrix(6, 900);
    const CompressedCoils most = compressed_coils({gram(samples)}, {0, 0.999});
    EXPECT_EQ(most.mixing.rows(), 2);
    EXPECT_GT(most.energy, 0.999);
    EXPECT_TRUE(near(CoilMatrix(most.mixing * most.mixing.adjoint()), CoilMatrix::Identity(2, 2),
                     rounding));
    const CoilMatrix kept = mixed(most.mixing, samples).to_doubles();
    EXPECT_NEAR(kept.squaredNorm() / samples.squaredNorm(), most.energy, rounding);

    EXPECT_EQ(compressed_coils({gram(samples)}, {4, 1}).mixing.rows(), 4);
    EXPECT_EQ(compressed_coils({gram(samples)}, {0, 1}).mixing.rows(), 6);
}

TEST(Compression, KeepsTheEnergyOfEverySlice) {
    // Slices in which other coils hold nearly everything; one is a thousand times as bright.
    std::vector<Eigen::MatrixXcd> grams;
    for (const Eigen::Index coil : {0, 2, 5}) {
        CoilMatrix samples = 1e-3 * Random(static_cast<unsigned>(coil)).matrix(6, 300);
        samples.row(coil) = Random(9).matrix(1, 300);
        grams.push_back(gram(coil == 2 ? CoilMatrix(1000 * samples) : samples));
    }
    const CompressedCoils kept = compressed_coils(grams, {0, 0.99});
    EXPECT_EQ(kept.mixing.rows(), 3);
    EXPECT_GT(kept.energy, 0.99);
    const CompressedCoils fewer = compressed_coils(grams, {2, 1});
    EXPECT_EQ(fewer.mixing.rows(), 2);
    EXPECT_LT(fewer.energy, 0.9) << "the slice that keeps least";
}

TEST(Mixing, KeepsThePrecisionOfTheRows) {
    const CoilMatrix values = Random(6).matrix(3, 10000);
    const CoilTransform mixing = Random(7).matrix(2, 3);
    const CoilRows floats(CoilRows::Floats(values.cast<std::complex<float>>()));
    EXPECT_EQ(mixed(mixing, floats).precision(), Precision::float32);
    EXPECT_TRUE(near(mixed(mixing, floats).to_doubles(), CoilMatrix(mixing * values), 1e-6));
    EXPECT_TRUE(
        near(mixed(mixing, CoilRows(values)).to_doubles(), CoilMatrix(mixing * values), rounding));
}

} // namespace
} // namespace lsrecon
