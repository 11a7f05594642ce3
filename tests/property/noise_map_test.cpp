// Noise maps of scans whose noise is known in closed form.

#include "encoding/noise_map.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "encoding/solve.hpp"
#include "engines/transforms.hpp"
#include "io/hdf5/reader.hpp"
#include "io/native/scan.hpp"
#include "reconstruct.hpp"
#include "reconstruct_file.hpp"
#include "scan/noise.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::cartesian;

/// Solves of probes stop early; the few voxels that are coupled here have colours of their own.
constexpr double close = 5e-3;

class NoiseMap : public testing::Test {
protected:
    test::TemporaryFolder folder;
    Reporter report;
    FileOptions options;

    NoiseMap() {
        options.solve = {0, 60, 1e-9, &solver_named("eigen")};
        options.lambda_rule = RuleChoice();
        options.noise_solves = 100;
    }
    RealVector solved(const Scan& scan, const std::string& dataset) {
        const auto transforms = reference_transforms();
        write_native_scan(folder.file("scan.h5"), scan);
        reconstruct_file(folder.file("scan.h5"), folder.file("image.h5"), *transforms, options,
                         report);
        return stored(dataset);
    }
    RealVector stored(const std::string& dataset) const {
        const std::vector<double> values = Hdf5Reader(folder.file("image.h5")).read_real(dataset);
        return Eigen::Map<const RealVector>(values.data(),
                                            static_cast<Eigen::Index>(values.size()));
    }
    static void expect_near(const RealVector& found, const RealVector& expected) {
        ASSERT_EQ(found.size(), expected.size());
        for (Eigen::Index n = 0; n < found.size(); ++n) {
            EXPECT_NEAR(found(n), expected(n), close * expected(n)) << n;
        }
        // Voxels of a full Cartesian scan are independent, and of others at most all the same.
        EXPECT_NEAR(found.mean() / expected.mean(), 1, close);
    }
};

/// A scan of 8 x 6 voxels with two coils, whose maps have a sum of squares that varies.
Scan two_coils() {
    Scan scan = test::scan_of(test::make_problem(cartesian({8, 6, 0})));
    const Eigen::Index voxels = 48;
    CoilMatrix maps(2, voxels);
    for (Eigen::Index n = 0; n < voxels; ++n) {
        const double y = static_cast<double>(n / 8) / 6 - 0.5;
        maps(0, n) = std::polar(1 + y, 2 * y);
        maps(1, n) = Complex(0.8 - 0.9 * y, 0.3);
    }
    // Files keep maps and samples as floats.
    scan.coil_maps = maps.cast<std::complex<float>>().cast<Complex>();
    const CoilMatrix samples = scan.frames[0].samples.doubles();
    CoilMatrix both(2, samples.cols());
    both << samples, samples;
    scan.frames[0].samples = both;
    return scan;
}

TEST_F(NoiseMap, OfAFullCartesianScanIsOneOverTheRootOfN) {
    const Scan scan = test::scan_of(test::make_problem(cartesian({8, 6, 0})));
    expect_near(solved(scan, "noise_map"), RealVector::Constant(48, 1 / std::sqrt(48.0)));
    expect_near(stored("g_factor"), RealVector::Ones(48));
}

TEST_F(NoiseMap, OfTwoCoilsIsDividedByTheRootOfTheirSquares) {
    const Scan scan = two_coils();
    const RealVector squares = scan.coil_maps.to_doubles().colwise().squaredNorm().transpose();
    expect_near(solved(scan, "noise_map"), (48 * squares).cwiseSqrt().cwiseInverse());
    expect_near(stored("g_factor"), RealVector::Ones(48));
}

// Every second line: voxels half a field of view apart fold together, and the g-factor is that of
// SENSE (Pruessmann et al. 1999), sqrt([(S^H S)^-1]_nn [S^H S]_nn) over the two of them.
TEST_F(NoiseMap, OfEverySecondLineHasTheGFactorOfSense) {
    Scan scan = two_coils();
    std::vector<std::size_t> kept;
    const Trajectory& full = *scan.frames[0].trajectory;
    for (std::size_t m = 0; m < full.samples(); ++m) {
        if (std::lround(full.positions[m][1]) % 2 == 0) {
            kept.push_back(m);
        }
    }
    ASSERT_EQ(kept.size(), 24U);
    scan.frames[0] = subset(scan.frames[0], kept);
    scan.frames[0].samples = scan.frames[0].samples.to_doubles();
    RealVector expected(48);
    for (Eigen::Index n = 0; n < 48; ++n) {
        Eigen::MatrixXcd folded(2, 2);
        folded << scan.coil_maps.doubles().col(n), scan.coil_maps.doubles().col((n + 24) % 48);
        const Eigen::MatrixXcd squares = folded.adjoint() * folded;
        expected(n) = std::sqrt((squares.inverse()(0, 0) * squares(0, 0)).real());
    }
    EXPECT_GT(expected.maxCoeff(), 1.2) << "nothing to find";
    expect_near(solved(scan, "g_factor"), expected);
    const RealVector squares = scan.coil_maps.doubles().colwise().squaredNorm().transpose();
    expect_near(stored("noise_map"),
                expected.cwiseProduct((24 * squares).cwiseSqrt().cwiseInverse()));
}

TEST_F(NoiseMap, OfMagnitudesHasOnePartOfTheNoise) {
    Scan scan = two_coils();
    scan.coil_maps = {};
    // Where the signal is large the magnitude has the noise of the part along it.
    scan.frames[0].samples.doubles().setConstant(1000);
    options.prepare.maps = NoSource();
    const RealVector found = solved(scan, "noise_map");
    // All samples are equal: a point of 1000 in the centre, where n = 3 * 8 + 4.
    EXPECT_NEAR(found(28), 1 / std::sqrt(48.0), close / std::sqrt(48.0));
    EXPECT_FALSE(Hdf5Reader(folder.file("image.h5")).has("g_factor"));
}

TEST_F(NoiseMap, HasTheScaleOfTheNoiseThatWasMeasured) {
    Scan scan = two_coils();
    CoilMatrix noise(2, 64); // rows at right angles, with real parts of deviation 3
    for (Eigen::Index k = 0; k < 64; ++k) {
        noise(0, k) = std::polar(3 * std::sqrt(2.0), 0.7 * static_cast<double>(k));
        noise(1, k) = k % 2 == 0 ? noise(0, k) : -noise(0, k);
    }
    scan.noise = noise;
    const RealVector squares = scan.coil_maps.doubles().colwise().squaredNorm().transpose();
    expect_near(solved(scan, "noise_map"), 3 * (48 * squares).cwiseSqrt().cwiseInverse());
    expect_near(stored("g_factor"), RealVector::Ones(48));
}

TEST_F(NoiseMap, IsTheSameToTheBitAndThatOfTheFirstFrameThatIsThere) {
    options.noise_solves = 3;
    Scan scan = two_coils();
    const RealVector once = solved(scan, "noise_map");
    EXPECT_EQ(solved(scan, "noise_map"), once);
    scan.frames.resize(3, scan.frames[0]);
    scan.frames[0].samples.doubles()(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(solved(scan, "noise_map"), once);
    EXPECT_EQ(Hdf5Reader(folder.file("image.h5")).attribute_numbers("record", "noise_frame").at(0),
              1);
}

TEST(RunningDeviation, IsThatOfTheFormula) {
    RunningDeviation running;
    for (const Complex value : {Complex(1e6, 1), Complex(1e6, 3), Complex(1e6 + 4, 2)}) {
        running.add(ComplexVector::Constant(1, value));
    }
    // Deviations -4/3, -4/3, 8/3 and -1, 1, 0: squares of 96/9 and 2.
    EXPECT_NEAR(running.deviation(1)(0), std::sqrt((96.0 / 9 + 2) / 2), 1e-9);
    EXPECT_NEAR(running.deviation(2)(0), std::sqrt((96.0 / 9 + 2) / 4), 1e-9);
}

TEST(ReplicaNoise, HasTheCovarianceOfTheScansNoise) {
    Scan scan;
    scan.frames.push_back({nullptr, CoilRows(2, 0, Precision::float64), "", {}});
    CoilMatrix noise(2, 4); // <n n^H> = [[4, 2i], [-2i, 2]]
    noise << 2, Complex(0, 2), -2, Complex(0, -2), //
        Complex(1, -1), Complex(1, 1), Complex(-1, 1), Complex(-1, -1);
    scan.noise = noise;
    const Eigen::MatrixXcd expected = noise * noise.adjoint() / 4;
    const ReplicaNoise replica(scan);
    EXPECT_FALSE(replica.white());
    EXPECT_DOUBLE_EQ(replica.deviation(), std::sqrt(1.5));
    const CoilMatrix drawn = replica.draw(7, 100000, Precision::float64).doubles();
    // Products of Gaussian numbers scatter by their own size.
    const double bound = 5 * expected.norm() / std::sqrt(100000.0);
    EXPECT_LT((drawn * drawn.adjoint() / 100000 - expected).cwiseAbs().maxCoeff(), bound);
    EXPECT_LT((drawn * drawn.transpose() / 100000).cwiseAbs().maxCoeff(), bound) << "not circular";
    EXPECT_EQ(replica.draw(7, 100000, Precision::float64).doubles(), drawn);
    EXPECT_NE(replica.draw(8, 100000, Precision::float64).doubles(), drawn);
}

} // namespace
} // namespace lsrecon
