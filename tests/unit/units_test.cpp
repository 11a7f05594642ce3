#include "scan/units.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

Grid grid_2d(std::size_t x, std::size_t y, double fov_x, double fov_y) {
    Grid grid;
    grid.size = {x, y, 1};
    grid.fov_mm = {fov_x, fov_y, 5};
    return grid;
}

TEST(Units, FactorsPerDimension) {
    const Grid grid = grid_2d(64, 100, 240, 500);
    EXPECT_EQ(to_cycles_per_fov("cycles/fov", grid), (Vec3{1, 1, 1}));
    EXPECT_EQ(to_cycles_per_fov("cycles/voxel", grid), (Vec3{64, 100, 1}));
    EXPECT_EQ(to_cycles_per_fov("1/m", grid), (Vec3{0.24, 0.5, 1}));
    const Vec3 rad = to_cycles_per_fov("rad/voxel", grid);
    EXPECT_DOUBLE_EQ(rad[0] * 2 * pi, 64);
    EXPECT_DOUBLE_EQ(rad[1] * 2 * pi, 100);
    EXPECT_EQ(rad[2], 1);
}

TEST(Units, ThirdDimensionCountsInThreeDimensions) {
    Grid grid = grid_2d(64, 64, 240, 240);
    grid.dimensions = 3;
    grid.size[2] = 16;
    grid.fov_mm[2] = 80;
    EXPECT_EQ(to_cycles_per_fov("cycles/voxel", grid), (Vec3{64, 64, 16}));
    EXPECT_EQ(to_cycles_per_fov("1/m", grid), (Vec3{0.24, 0.24, 0.08}));
}

TEST(Units, FieldsOfViewInMetresBecomeMillimetres) {
    const auto mm = [](Vec3 fov, int dimensions) {
        const bool noted = metres_to_mm(fov, dimensions).has_value();
        return std::pair(fov, noted);
    };
    EXPECT_EQ(mm({0.25, 1.5, 0.125}, 3), std::pair(Vec3{250, 1500, 125}, true));
    EXPECT_EQ(mm({0.25, 0.25, 5}, 2), std::pair(Vec3{250, 250, 5}, true));
    EXPECT_EQ(mm({0.25, 0.25, 1}, 2), std::pair(Vec3{250, 250, 1}, true)) << "an unknown thickness";
    EXPECT_EQ(mm({2, 0.5, 1.5}, 3), std::pair(Vec3{2, 0.5, 1.5}, false));
}

TEST(Units, UnknownNameIsAUsageErrorThatListsTheNames) {
    try {
        to_cycles_per_fov("furlong", grid_2d(64, 64, 240, 240));
        FAIL() << "no error";
    } catch (const UsageError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("furlong"), std::string::npos) << message;
        for (const std::string& name : trajectory_unit_names()) {
            EXPECT_NE(message.find(name), std::string::npos) << message;
        }
    }
}

// A trajectory that reaches `fraction` of N/2 is recognised in each unit that it is written in.
TEST(Units, EveryUnitIsFoundFromTheRange) {
    const Grid grid = grid_2d(64, 128, 240, 240);
    for (const std::string& units : trajectory_unit_names()) {
        const Vec3 factor = to_cycles_per_fov(units, grid);
        for (const double fraction : {0.51, 0.9, 1.04}) {
            const Vec3 end{-fraction * 32 / factor[0], fraction * 64 / factor[1], 0};
            EXPECT_EQ(guess_trajectory_units({{0, 0, 0}, end}, grid), units) << fraction;
        }
    }
}

TEST(Units, OneDimensionThatFillsItsRangeIsEnough) {
    const Grid grid = grid_2d(64, 64, 240, 240);
    EXPECT_EQ(guess_trajectory_units({{31, 2, 0}}, grid), "cycles/fov");
}

TEST(Units, OneDimensionBeyondItsRangeRulesAUnitOut) {
    const Grid grid = grid_2d(64, 64, 240, 240);
    EXPECT_EQ(guess_trajectory_units({{31, 40, 0}}, grid), "");
}

TEST(Units, NothingFits) {
    const Grid grid = grid_2d(64, 64, 240, 240);
    EXPECT_EQ(guess_trajectory_units({}, grid), "");
    EXPECT_EQ(guess_trajectory_units({{0, 0, 0}}, grid), "");
    EXPECT_EQ(guess_trajectory_units({{10, 0, 0}}, grid), "");
}

// Trajectories in 1/mm of voxels of 1.25 mm reach 0.4; in cycles/voxel that would be 0.8 of N/2.
TEST(Units, PerMillimetreIsNotTakenForCyclesPerVoxel) {
    const auto guess = [](double voxel_mm, double largest) {
        const Grid grid = grid_2d(48, 64, 48 * voxel_mm, 64 * voxel_mm);
        const std::vector<Vec3> positions{{largest, -largest, 0}};
        const ForeignUnit* const foreign = foreign_unit_that_fills(positions, grid);
        EXPECT_EQ(guess_trajectory_units(positions, grid).empty(), foreign != nullptr);
        EXPECT_EQ(foreign != nullptr ? foreign->name : "1/mm", "1/mm");
        return guess_trajectory_units(positions, grid);
    };
    for (const double voxel_mm : {0.96, 0.99, 1.07, 1.25, 1.9}) {
        EXPECT_EQ(guess(voxel_mm, 0.5 / voxel_mm), "") << voxel_mm;
    }
    // Of trajectories in cycles/voxel that fill their matrix, or voxels of other sizes, none is.
    for (const double voxel_mm : {0.5, 0.94, 1.0, 1.02, 1.25, 2.4}) {
        for (const double reach : {0.96, 0.98, 1.0}) {
            EXPECT_EQ(guess(voxel_mm, 0.5 * reach), "cycles/voxel") << voxel_mm << ", " << reach;
        }
    }
    EXPECT_EQ(guess(2, 0.5 * 0.8), "cycles/voxel");
    EXPECT_EQ(guess(1.3, 0.5 * 1.04), "cycles/voxel");
}

// Each fills its matrix, and one of the units that are known nearly: 2.5/cm of voxels of 2 mm would
// be 0.80 of N/2 in rad/voxel.
TEST(Units, ForeignUnitsAreNotTakenForKnownOnes) {
    struct Case {
        std::string name;
        double per_m;
        double voxel_mm;
    };
    for (const Case& one : {Case{"1/mm", 1e3, 1.25},
                            {"1/cm", 1e2, 2.0},
                            {"1/cm", 1e2, 2.75},
                            {"rad/mm", 1e3 / (2 * pi), 1.5},
                            {"rad/mm", 1e3 / (2 * pi), 1.1},
                            {"rad/m", 1 / (2 * pi), 3.0}}) {
        const Grid grid = grid_2d(48, 64, 48 * one.voxel_mm, 64 * one.voxel_mm);
        const double edge = 0.5 / (1e-3 * one.voxel_mm) / one.per_m;
        const ForeignUnit* const foreign = foreign_unit_that_fills({{edge, -edge, 0}}, grid);
        ASSERT_NE(foreign, nullptr) << one.name;
        EXPECT_EQ(foreign->name, one.name);
        EXPECT_DOUBLE_EQ(foreign->per_m, one.per_m);
        EXPECT_EQ(guess_trajectory_units({{edge, -edge, 0}}, grid), "") << one.name;
    }
}

// Less than the whole matrix in either unit says too little to refuse.
TEST(Units, SmallTrajectoriesInKnownUnitsAreRead) {
    for (const double voxel_mm : {0.9375, 1.25, 2.0, 3.75}) {
        const Grid grid = grid_2d(64, 64, 64 * voxel_mm, 64 * voxel_mm);
        for (const double reach : {0.7, 0.9}) {
            const Vec3 k{reach * pi, 0, 0};
            EXPECT_EQ(guess_trajectory_units({k}, grid), "rad/voxel") << voxel_mm << ", " << reach;
        }
    }
    const Grid grid = grid_2d(64, 64, 128, 128); // 2.2/cm of 2.5
    EXPECT_EQ(guess_trajectory_units({{2.2, 0, 0}}, grid), "rad/voxel");
    const ForeignUnit* const foreign = foreign_unit_that_fits({{2.2, 0, 0}}, grid);
    ASSERT_NE(foreign, nullptr);
    EXPECT_EQ(foreign->name, "1/cm");
    EXPECT_EQ(foreign_unit_that_fits({{pi, 0, 0}}, grid), nullptr);
}

// pi rad/voxel over 6 voxels would fill 1.05 of them in cycles/fov.
TEST(Units, FewVoxelsSayNothing) {
    for (std::size_t z = 2; z < fewest_voxels; ++z) {
        Grid grid = grid_2d(64, 48, 240, 180);
        grid.dimensions = 3;
        grid.size[2] = z;
        grid.fov_mm[2] = 5.0 * static_cast<double>(z);
        for (const std::string& units : trajectory_unit_names()) {
            Vec3 end = to_cycles_per_fov(units, grid);
            for (std::size_t d = 0; d < 3; ++d) {
                end[d] = 0.5 * static_cast<double>(grid.size[d]) / end[d];
            }
            EXPECT_EQ(guess_trajectory_units({end}, grid), units) << z << " voxels along z";
        }
    }
    Grid grid = grid_2d(64, 48, 240, 180); // but what is beyond their range is
    grid.dimensions = 3;
    grid.size[2] = 4;
    EXPECT_EQ(guess_trajectory_units({{32, 24, 3}}, grid), "");
}

// In a field of view of 0.8 m, 30 cycles/fov fill 0.94 of N/2, and 30 / m fill 0.75.
TEST(Units, TwoThatFitAreAmbiguous) {
    EXPECT_EQ(guess_trajectory_units({{30, 0, 0}}, grid_2d(64, 64, 800, 800)), "");
}

/// As hint_on_units gives it, or "".
std::string next_step(const Vec3& least, const Vec3& most, const Grid& grid,
                      const std::string& units = "") {
    const std::optional<UnitsHint> hint = hint_on_units(least, most, grid, units);
    return hint ? hint->next_step : "";
}

TEST(Units, WhatFitsInNoneIsRecognised) {
    for (const auto& [x, y] :
         std::vector<std::pair<std::size_t, std::size_t>>{{48, 48}, {33, 64}}) {
        const Grid grid = grid_2d(x, y, 220, 180);
        const Vec3 half{static_cast<double>(x) / 2, static_cast<double>(y) / 2, 0};
        EXPECT_EQ(test::lacks(next_step({-1, -1, 0}, {0.96, 0.97, 0}, grid),
                              {"write", "in cycles/voxel (0.5 times"}),
                  "");
        const Vec3 rad{2 * pi * half[0], 2 * pi * half[1], 0};
        EXPECT_EQ(test::lacks(next_step({-rad[0], -rad[1], 0}, rad, grid),
                              {"write", "in cycles/fov (1 / (2 pi) times"}),
                  "");
        const Grid in_cm = grid_2d(x, y, 22, 18); // in rad/fov it would reach 0.72 and 0.88
        const Vec3 per_m{half[0] / 0.22, half[1] / 0.18, 0};
        const Vec3 least{-per_m[0], -per_m[1], 0};
        EXPECT_EQ(test::lacks(next_step(least, per_m, in_cm), {"`header` fov_mm=220,180", "cm"}),
                  "");
        EXPECT_EQ(next_step(least, per_m, in_cm, "1/m"), next_step(least, per_m, in_cm));
        EXPECT_NE(next_step(least, per_m, in_cm, "cycles/fov"), next_step(least, per_m, in_cm));
        for (const std::string& units : trajectory_unit_names()) {
            const Vec3 factor = to_cycles_per_fov(units, grid);
            Vec3 from{};
            Vec3 to{};
            for (std::size_t d = 0; d < 2; ++d) {
                from[d] = (-half[d] + (d == 0 ? 0.4 * half[d] : 0)) / factor[d];
                to[d] = (half[d] + (d == 0 ? 0.4 * half[d] : 0)) / factor[d];
            }
            const std::optional<UnitsHint> hint = hint_on_units(from, to, grid, "");
            ASSERT_TRUE(hint) << units;
            EXPECT_NE(hint->seems.find("it would be filled in " + units), std::string::npos)
                << hint->seems;
            EXPECT_EQ(test::lacks(hint->next_step, {"write", "0 at the centre"}), "");
        }
        EXPECT_EQ(next_step({-1e-3, -1e-3, 0}, {1e-3, 1e-3, 0}, grid), "");
    }
}

TEST(Units, AThirdCoordinateIsNoPositionInTwoDimensions) {
    const Grid grid = grid_2d(64, 64, 240, 240);
    EXPECT_EQ(guess_trajectory_units({{30, 30, 1e6}}, grid), "cycles/fov");
}

} // namespace
} // namespace lsrecon
