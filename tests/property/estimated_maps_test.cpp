#include "model/estimated_maps.hpp"

#include <Eigen/QR>
#include <random>

#include "base/error.hpp"
#include "engines/on_host.hpp"
#include "engines/transforms.hpp"
#include "model/calibration.hpp"
#include "model/prepared_scan.hpp"
#include "simulate/simulate.hpp"
#include "support/case.hpp"
#include "support/numbers.hpp"
#include "support/surroundings.hpp"
#include "support/transforms.hpp"

namespace lsrecon {
namespace {

using test::make_grid;
using test::silent;

/// A phantom of some coils with a little noise; its maps have a sum of squares of 1.
Simulation simulated(const Grid& grid, const std::string& design, double undersampling = 1,
                     double snr = 0) {
    SimulationOptions options;
    options.design = design;
    options.trajectory.grid = grid;
    options.trajectory.undersampling = undersampling;
    options.coils = 4;
    if (snr > 0) {
        options.snr = snr;
    } else {
        options.noise = 0.01;
    }
    const auto reference = reference_transforms();
    Reporter report;
    return simulate(
        options, [&]() -> Transforms& { return *reference; }, report);
}

Calibration calibrated(Transforms& transforms, const Scan& scan) {
    return calibrate(transforms, scan, CalibrationField(scan.grid, scan.grid), scan.frames.front());
}

struct Agreement {
    double smallest = 1;
    double mean = 0;
};

/// Of |<estimated, true>| where there is an object.
Agreement agreement(const CoilRows::Floats& maps, const Simulation& simulation) {
    const CoilMatrix truth = simulation.scan.coil_maps.to_doubles();
    Agreement result;
    double voxels = 0;
    for (Eigen::Index n = 0; n < truth.cols(); ++n) {
        if (std::abs(simulation.truth(n)) > 0.1 * simulation.truth.cwiseAbs().maxCoeff()) {
            const Complex along = maps.col(n).cast<Complex>().dot(truth.col(n));
            result.smallest = std::min(result.smallest, std::abs(along));
            result.mean += std::abs(along);
            ++voxels;
        }
    }
    result.mean /= voxels;
    return result;
}

struct MapsCase {
    std::string name;
    Grid grid;
    std::string design;
};

class EstimatedMaps : public testing::TestWithParam<MapsCase> {};

TEST_P(EstimatedMaps, AreThoseOfTheCoils) {
    const Simulation simulation = simulated(GetParam().grid, GetParam().design);
    const auto reference = reference_transforms();
    Reporter report;
    const Calibration calibration = calibrated(*reference, simulation.scan);
    for (const MapsMethod& method : maps_methods()) {
        const CoilRows::Floats maps = method.estimate(calibration, GetParam().grid, {});
        if (method.sets == 2U) {
            continue; // a second set may stand beside it
        }
        EXPECT_GT(agreement(maps, simulation).smallest, 0.97) << method.name;
        for (Eigen::Index n = 0; n < maps.cols(); ++n) {
            const float squares = maps.col(n).squaredNorm();
            EXPECT_TRUE(squares == 0 || std::abs(squares - 1) < 1e-5F) << method.name << squares;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Scans, EstimatedMaps,
                         testing::Values(MapsCase{"Even", make_grid(48, 48), "radial"},
                                         MapsCase{"Odd", make_grid(45, 39), "spiral"},
                                         MapsCase{"Slab", make_grid(40, 36, 5), "cartesian"},
                                         MapsCase{"Solid", make_grid(16, 18, 8),
                                                  "stack-of-spirals"}),
                         [](const auto& of) { return of.param.name; });

TEST(EspiritMaps, AreZeroWhereThereIsNoSignal) {
    const Simulation simulation = simulated(make_grid(48, 48), "spiral");
    const auto reference = reference_transforms();
    Reporter report;
    const Calibration calibration = calibrated(*reference, simulation.scan);
    const auto corner = [&](const MapsOptions& options) {
        return espirit_maps(calibration, simulation.scan.grid, options).col(0).norm();
    };
    EXPECT_EQ(corner({}), 0);
    EXPECT_NEAR(corner({0.05, 0, false}), 1, 1e-5) << "without a crop";
    const float soft = corner({0.05, 0, true});
    EXPECT_TRUE(soft > 0 && soft < 0.9F) << soft;
}

TEST(EspiritMaps, OfAnSnrOfTwoHaveTheSignalOfTheCoils) {
    const Simulation simulation = simulated(make_grid(64, 64), "cartesian", 1, 2);
    const auto reference = reference_transforms();
    Reporter report;
    const Calibration calibration = calibrated(*reference, simulation.scan);
    const CoilRows::Floats maps = espirit_maps(calibration, simulation.scan.grid, {});
    EXPECT_GT(agreement(maps, simulation).mean, 0.9);
}

/// Of coils that are sums of 36 waves each, from an object that fills k-space, and noise: singular
/// values lie close on either side of the threshold.
Calibration of_many_coils(Eigen::Index coils) {
    constexpr std::size_t width = 32;
    constexpr std::size_t waves_along = 6;
    constexpr std::size_t around = width + waves_along - 1;
    constexpr double noise = 8;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const auto number = [&] { return Complex(normal(random), normal(random)); };
    const ComplexVector object = ComplexVector::NullaryExpr(around * around, number);
    const CoilMatrix waves = CoilMatrix::NullaryExpr(coils, waves_along * waves_along, number);
    CoilMatrix kspace =
        CoilMatrix::NullaryExpr(coils, width * width, [&] { return noise * number(); });
    for (std::size_t m = 0; m < width * width; ++m) {
        for (std::size_t t = 0; t < waves_along * waves_along; ++t) {
            const std::size_t at =
                (m / width + t / waves_along) * around + m % width + t % waves_along;
            kspace.col(static_cast<Eigen::Index>(m)) +=
                object(static_cast<Eigen::Index>(at)) * waves.col(static_cast<Eigen::Index>(t));
        }
    }
    return {width / 2, make_grid(width, width), 1, kspace, kspace};
}

/// The centre of k-space of a disc with texture that is so many fields of view wide, in coils that
/// are smooth over all of it, with noise.
Calibration of_a_disc(double width, Eigen::Index coils) {
    constexpr long size = 24;
    const Grid grid = make_grid(size, size);
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    test::Random random(9);
    CoilMatrix images = CoilMatrix::Zero(coils, voxels);
    for (long y = -size; y < size; ++y) { // two fields of view
        for (long x = -size / 2; x < size / 2; ++x) {
            const double u = static_cast<double>(x) / size;
            const double v = static_cast<double>(y) / size;
            if (std::hypot(u / 0.4, 2 * v / width) > 1) {
                continue;
            }
            const double value = random.uniform(0.2, 1.8);
            const long n = (y + 2 * size + size / 2) % size * size + x + size / 2;
            for (Eigen::Index c = 0; c < coils; ++c) {
                const double angle = 2 * pi * static_cast<double>(c) / static_cast<double>(coils);
                images(c, n) += std::polar(
                    value / (0.3 + std::norm(std::polar(0.8, angle) - Complex(u, v))), angle + u);
            }
        }
    }
    const Eigen::MatrixXcd wave =
        Eigen::MatrixXcd::NullaryExpr(voxels, voxels, [&](Eigen::Index n, Eigen::Index k) {
            const auto at = [&](Eigen::Index i) { return static_cast<double>(i - size / 2); };
            return std::polar(1.0, -2 * pi / size *
                                       (at(n % size) * at(k % size) + at(n / size) * at(k / size)));
        });
    CoilMatrix kspace = images * wave + random.matrix(static_cast<std::size_t>(coils),
                                                      static_cast<std::size_t>(voxels));
    images = kspace * wave.conjugate() / static_cast<double>(voxels);
    return {size / 2, grid, 1, images, kspace};
}

TEST(EspiritMaps, HaveASecondSetWhereAnObjectLiesOverItself) {
    const Grid grid = make_grid(36, 40);
    const auto voxels = static_cast<Eigen::Index>(grid.voxels());
    const Calibration wide = of_a_disc(1.35, 6);
    const CoilRows::Floats maps = espirit_maps(wide, grid, {});
    ASSERT_EQ(maps.cols(), 2 * voxels);
    const auto in_row = [&](Eigen::Index y) { // in the middle of x
        return y * 36 + 18;
    };
    // The edges along y see both, and the middle one of the two.
    EXPECT_NEAR(maps.col(in_row(2)).squaredNorm() + maps.col(voxels + in_row(2)).squaredNorm(), 2,
                0.2);
    EXPECT_EQ(maps.col(voxels + in_row(20)).norm(), 0);
    EXPECT_NEAR(maps.col(in_row(20)).norm(), 1, 1e-5);
    // Coil images lie in the span of both.
    const auto left_of = [&](const CoilRows::Floats& of) {
        const auto count = static_cast<Eigen::Index>(wide.grid.voxels());
        double left = 0;
        for (Eigen::Index n = 0; n < count; ++n) {
            Eigen::MatrixXcd span(6, of.cols() / count);
            for (Eigen::Index s = 0; s < span.cols(); ++s) {
                span.col(s) = of.col(s * count + n).cast<Complex>();
            }
            const Eigen::VectorXcd image = wide.images.col(n);
            left +=
                (image - span * span.completeOrthogonalDecomposition().solve(image)).squaredNorm();
        }
        return left / wide.images.squaredNorm();
    };
    MapsOptions one;
    one.sets = 1;
    const double of_one = left_of(espirit_maps(wide, wide.grid, one));
    const double of_two = left_of(espirit_maps(wide, wide.grid, {}));
    EXPECT_LT(of_two, 0.3 * of_one) << of_one;
    // The first reference is in the first set alone, so that this one is smooth.
    const Eigen::VectorXcf reference = strongest_combinations(wide.images, 1).col(0);
    for (Eigen::Index n = 0; n < voxels; ++n) {
        EXPECT_NEAR(std::abs(reference.dot(maps.col(voxels + n))), 0, 1e-4);
    }
    const CoilRows::Floats inside = espirit_maps(of_a_disc(0.85, 6), grid, {});
    ASSERT_EQ(inside.cols(), voxels);
    EXPECT_EQ(inside, espirit_maps(of_a_disc(0.85, 6), grid, one));
}

TEST(EspiritMaps, DoNotDependOnTheOrderOfCoils) {
    Calibration calibration = of_many_coils(12);
    const Grid grid = make_grid(24, 24);
    const MapsOptions options{0.05, 0, false};
    const CoilRows::Floats maps = espirit_maps(calibration, grid, options);
    calibration.kspace = calibration.kspace.colwise().reverse().eval();
    calibration.images = calibration.images.colwise().reverse().eval();
    const CoilRows::Floats reversed = espirit_maps(calibration, grid, options);
    const CoilRows::Floats again = reversed.colwise().reverse();
    for (Eigen::Index n = 0; n < maps.cols(); ++n) { // their phase is that of all images
        EXPECT_NEAR(std::abs(maps.col(n).dot(again.col(n))), 1, 1e-4) << n;
    }
}

TEST(EspiritMaps, OfNoiseAreZero) {
    test::Random random(3);
    Calibration calibration{12, make_grid(24, 24), 1, random.matrix(4, 576), random.matrix(4, 576)};
    EXPECT_EQ(espirit_maps(calibration, make_grid(30, 30), {}).norm(), 0);
}

TEST(Calibration, NeedsACentreThatIsSampled) {
    const Grid grid = make_grid(64, 64);
    std::vector<Vec3> full;
    std::vector<Vec3> sparse;
    for (int y = -32; y < 32; ++y) {
        for (int x = -32; x < 32; ++x) {
            full.push_back({double(x), double(y), 0});
            if (y % 3 == 0) {
                sparse.push_back(full.back());
            }
        }
    }
    EXPECT_EQ(sampled_radius(full, grid, 16), 16U);
    EXPECT_LT(sampled_radius(sparse, grid, 16), 4U);
    const auto without_centre = [&](double within) {
        std::vector<Vec3> rest;
        std::copy_if(full.begin(), full.end(), std::back_inserter(rest),
                     [&](const Vec3& k) { return k[0] * k[0] + k[1] * k[1] > within * within; });
        return sampled_radius(rest, grid, 16);
    };
    EXPECT_EQ(without_centre(1), 16U) << "a gap";
    EXPECT_EQ(without_centre(1.5), 0U) << "a hole";
    // A dimension of few voxels is covered as far as it goes.
    EXPECT_EQ(sampled_radius(full, make_grid(8, 64), 16), 16U);

    const Simulation simulation = simulated(make_grid(48, 48), "radial", 12);
    const auto reference = reference_transforms();
    Reporter report;
    EXPECT_THROW(calibrated(*reference, simulation.scan), InputError);
}

} // namespace
} // namespace lsrecon
