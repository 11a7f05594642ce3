#include "model/estimated_maps.hpp"

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
