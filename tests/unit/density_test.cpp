#include "scan/density.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "simulate/trajectories.hpp"
#include "support/case.hpp"
#include "support/findings.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

std::vector<Vec3> positions_of(const std::string& name, const Grid& grid) {
    TrajectoryOptions options;
    options.grid = grid;
    return make_trajectory(name, options);
}

RealVector cells_by(const std::string& name, const std::vector<Vec3>& positions, const Grid& grid) {
    const auto& rows = density_methods();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const DensityMethod& one) { return one.name == name; });
    Trajectory trajectory;
    trajectory.positions = positions;
    return row->of(trajectory, grid).cells;
}

double largest_difference_from(double expected, const RealVector& found) {
    return (found.array() - expected).abs().maxCoeff();
}

/// A row of test names whose density is for any trajectory.
class AnyTrajectory : public testing::TestWithParam<std::string> {
protected:
    RealVector cells(const std::vector<Vec3>& positions, const Grid& grid) {
        try {
            return cells_by(GetParam(), positions, grid);
        } catch (const NotBuiltError&) {
            return {};
        }
    }
};

TEST_P(AnyTrajectory, CartesianSamplesHaveOneCellEach) {
    for (const Grid& grid :
         {make_grid(8, 8), make_grid(7, 12), make_grid(1, 5), make_grid(4, 5, 6)}) {
        const RealVector found = cells(positions_of("cartesian", grid), grid);
        if (found.size() > 0) {
            EXPECT_LT(largest_difference_from(1, found), 1e-9) << grid.size[0];
        }
    }
}

TEST_P(AnyTrajectory, SamplesAtOnePointShareItsCell) {
    const Grid grid = make_grid(6, 6);
    std::vector<Vec3> twice = positions_of("cartesian", grid);
    twice.insert(twice.end(), twice.begin(), twice.begin() + 6);
    const RealVector found = cells(twice, grid);
    if (found.size() > 0) {
        EXPECT_NEAR(found.sum(), 36, GetParam() == "pipe" ? 0.5 : 1e-9);
        EXPECT_NEAR(found(0), found(36), 1e-9);
        EXPECT_LT(found(0), 0.7);
    }
}

/// Inside, where a spoke's neighbours are not those at the edge, both find the ramp.
TEST_P(AnyTrajectory, FindsTheRampOfARadialScan) {
    const Grid grid = make_grid(32, 32);
    const std::vector<Vec3> positions = positions_of("radial", grid);
    const RealVector found = cells(positions, grid);
    if (found.size() == 0) {
        return;
    }
    const RealVector ramp = cells_by("analytic", positions, grid);
    double off = 0;
    double all = 0;
    for (std::size_t m = 0; m < positions.size(); ++m) {
        const double radius = std::hypot(positions[m][0], positions[m][1]);
        if (radius > 2 && radius < 13) {
            off +=
                std::abs(found(static_cast<Eigen::Index>(m)) - ramp(static_cast<Eigen::Index>(m)));
            all += ramp(static_cast<Eigen::Index>(m));
        }
    }
    EXPECT_LT(off / all, 0.05);
    EXPECT_GT(off, 0) << "the one is a copy of the other";
}

INSTANTIATE_TEST_SUITE_P(Density, AnyTrajectory, testing::Values("pipe", "voronoi"),
                         [](const auto& chosen) { return chosen.param; });

Density density_of(const std::string& name, Trajectory trajectory, const Grid& grid) {
    const auto& rows = density_methods();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const DensityMethod& one) { return one.name == name; });
    return row->of(trajectory, grid);
}

std::vector<Vec3> golden_spokes(std::size_t spokes, const Grid& grid) {
    TrajectoryOptions options;
    options.grid = grid;
    options.readouts = spokes;
    return make_trajectory("golden-angle", options);
}

/// Of a Gaussian blob of 0.36 fields of view, in the image over that in the object.
double brightness(const std::vector<Vec3>& positions, const RealVector& cells) {
    constexpr double sigma = 0.15;
    double sum = 0;
    for (std::size_t m = 0; m < positions.size(); ++m) {
        const double radius = std::hypot(positions[m][0], positions[m][1]);
        sum +=
            cells(static_cast<Eigen::Index>(m)) * std::exp(-std::pow(2 * pi * sigma * radius, 2));
    }
    return 4 * pi * sigma * sigma * sum;
}

// Where gaps between samples are large a sample stands for a cell, but the centre is dense.
TEST(Density, ImagesAreAsBrightAsTheObject) {
    const Grid grid = make_grid(64, 64);
    for (const auto& positions :
         {golden_spokes(26, grid), golden_spokes(9, grid), positions_of("radial", grid),
          positions_of("spiral", grid), positions_of("cartesian", grid)}) {
        const RealVector cells = cells_by("pipe", positions, grid);
        EXPECT_NEAR(brightness(positions, cells), 1, 0.05) << positions.size();
    }
    Trajectory trajectory;
    trajectory.positions = golden_spokes(26, grid);
    trajectory.weights = 700 * cells_by("analytic", trajectory.positions, grid);
    const Density density = density_of("auto", trajectory, grid);
    EXPECT_EQ(density.method, "weights of the scan");
    EXPECT_NEAR(brightness(trajectory.positions, density.cells), 1, 0.05);
    // Without samples at the centre nothing shows how bright: they stand for k-space at most.
    for (Vec3& k : trajectory.positions) {
        k[0] += 40;
    }
    EXPECT_LE(density_of("auto", trajectory, grid).cells.sum(), 64 * 64 * (1 + 1e-9));
}

TEST(Density, ABlurByPipeAndMenonIsSaid) {
    const Grid grid = make_grid(64, 64);
    Trajectory trajectory;
    trajectory.positions = golden_spokes(26, grid);
    EXPECT_EQ(test::codes_of(density_of("pipe", trajectory, grid).findings),
              std::vector<std::string>{"blurred_by_density"});
    EXPECT_EQ(density_of("auto", trajectory, grid).method, "analytic");
    EXPECT_TRUE(density_of("auto", trajectory, grid).findings.empty());
    trajectory.positions = positions_of("radial", grid);
    EXPECT_TRUE(density_of("pipe", trajectory, grid).findings.empty());
}

TEST(Density, TheRampOfSpokesIsTheirAngleTimesTheRadius) {
    const Grid grid = make_grid(16, 16);
    TrajectoryOptions options;
    options.grid = grid;
    options.readouts = 20;
    const std::vector<Vec3> positions = make_trajectory("radial", options);
    const RealVector cells = cells_by("analytic", positions, grid);
    const auto each = static_cast<std::size_t>(cells.size()) / 20;
    for (std::size_t i = 0; i < each; ++i) {
        const double radius = std::hypot(positions[i][0], positions[i][1]);
        const double expected = radius > 0 ? pi / 20 * radius : pi / 20 / 4;
        EXPECT_NEAR(cells(static_cast<Eigen::Index>(i)), expected, 1e-9) << radius;
    }
}

/// The disc, ellipse or ball that the samples fill, half a step beyond the last.
TEST(Density, AnalyticCellsFillTheRegionOfTheSamples) {
    const auto filled = [](const std::string& name, const Grid& grid) {
        double region = grid.dimensions == 2 ? pi / 4 : pi / 6;
        for (int d = 0; d < grid.dimensions; ++d) {
            region *= static_cast<double>(grid.size[static_cast<std::size_t>(d)]);
        }
        return cells_by("analytic", positions_of(name, grid), grid).sum() / region;
    };
    for (const char* name : {"radial", "golden-angle", "spiral"}) {
        EXPECT_NEAR(filled(name, make_grid(32, 32)), 1, 0.04) << name;
        EXPECT_NEAR(filled(name, make_grid(32, 48)), 1, 0.04) << name;
    }
    EXPECT_NEAR(filled("radial-3d", make_grid(24, 24, 24)), 1, 0.06);
}

TEST(Density, SpokesFromTheCentreHaveHalfAsMuchOfIt) {
    const Grid grid = make_grid(16, 16);
    std::vector<Vec3> positions;
    for (int spoke = 0; spoke < 50; ++spoke) {
        for (int i = 0; i < 8; ++i) {
            positions.push_back(
                {i * std::cos(2 * pi * spoke / 50), i * std::sin(2 * pi * spoke / 50), 0});
        }
    }
    const RealVector cells = cells_by("analytic", positions, grid);
    EXPECT_NEAR(cells(0), 2 * pi / 50 / 8, 1e-9);
    EXPECT_NEAR(cells(3), 2 * pi / 50 * 3, 1e-9);
    EXPECT_NEAR(cells.sum(), pi * 7.5 * 7.5, 1e-9);
}

/// Of a partial echo: on both sides half of the angle to a neighbour is that of lines, and beyond
/// the shorter one that of rays.
TEST(Density, LinesMayGoFurtherOnOneSide) {
    const Grid grid = make_grid(32, 32);
    constexpr int spokes = 41; // an odd number: lines at angles as even as those of rays
    std::vector<Vec3> positions;
    for (int spoke = 0; spoke < spokes; ++spoke) {
        for (int i = -8; i <= 15; ++i) {
            const double angle = 2 * pi * spoke / spokes;
            positions.push_back({i * std::cos(angle), i * std::sin(angle), 0});
        }
    }
    const RealVector cells = cells_by("analytic", positions, grid);
    EXPECT_NEAR(cells(8 - 5), pi / spokes * 5, 1e-9);
    EXPECT_NEAR(cells(8 + 5), pi / spokes * 5, 1e-9);
    EXPECT_NEAR(cells(8 + 12), 2 * pi / spokes * 12, 1e-9);
    EXPECT_NEAR(cells.sum(), pi * 15.5 * 15.5, 1e-9);
}

TEST(Density, SpiralsMayLeadInward) {
    const Grid grid = make_grid(32, 32);
    std::vector<Vec3> positions = positions_of("spiral", grid);
    const RealVector outward = cells_by("analytic", positions, grid);
    std::reverse(positions.begin(), positions.end());
    EXPECT_EQ(cells_by("analytic", positions, grid), outward.reverse());
}

/// Planes in any order, of a distance that may differ.
TEST(Density, AStackHasTheCellsOfItsPlanes) {
    const Grid grid = make_grid(16, 16, 8);
    for (const char* name : {"golden-angle", "spiral"}) {
        const std::vector<Vec3> plane = positions_of(name, make_grid(16, 16));
        const RealVector areas = cells_by("analytic", plane, make_grid(16, 16));
        std::vector<Vec3> positions;
        for (const double height : {0.0, 3.0, -4.0, -1.0}) {
            for (const Vec3& k : plane) {
                positions.push_back({k[0], k[1], height});
            }
        }
        const RealVector cells = cells_by("analytic", positions, grid);
        const Eigen::Index each = areas.size();
        // From the third plane on: -4, -1, 0, 3.
        EXPECT_LT((cells.segment(2 * each, each) - 3 * areas).norm(), 1e-9 * areas.norm()) << name;
        EXPECT_LT((cells.segment(3 * each, each) - 2 * areas).norm(), 1e-9 * areas.norm()) << name;
        EXPECT_LT((cells.segment(0, each) - 2 * areas).norm(), 1e-9 * areas.norm()) << name;
        EXPECT_LT((cells.segment(each, each) - 3 * areas).norm(), 1e-9 * areas.norm()) << name;
    }
}

TEST(Density, AnalyticRefusesWhatItDoesNotKnow) {
    for (const char* name : {"random", "cartesian"}) {
        const Grid grid = make_grid(12, 12);
        EXPECT_THROW(cells_by("analytic", positions_of(name, grid), grid), UsageError) << name;
    }
    const Grid few_lines = make_grid(8, 3);
    EXPECT_THROW(cells_by("analytic", positions_of("cartesian", few_lines), few_lines), UsageError);
    const Grid volume = make_grid(4, 5, 6);
    EXPECT_THROW(cells_by("analytic", positions_of("cartesian", volume), volume), UsageError);
    const Grid grid = make_grid(12, 12, 12);
    EXPECT_THROW(cells_by("analytic", positions_of("cones", grid), grid), UsageError);
}

TEST(Density, WeightsOfTheScanGetTheScaleOfCells) {
    const Grid grid = make_grid(32, 32);
    Trajectory trajectory;
    trajectory.positions = positions_of("radial", grid);
    const RealVector cells = pipe_menon_cells(trajectory.positions, grid);
    trajectory.weights = 700 * cells;
    const Density found = density_methods().front().of(trajectory, grid);
    EXPECT_EQ(found.method, "weights of the scan");
    EXPECT_LT((found.cells - cells).norm(), 0.01 * cells.norm());
}

} // namespace
} // namespace lsrecon
