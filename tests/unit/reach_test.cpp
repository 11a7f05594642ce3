#include "scan/findings.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "scan/check.hpp"
#include "scan/units.hpp"
#include "support/case.hpp"
#include "support/message.hpp"

namespace lsrecon {
namespace {

/// Lines along x at every `step`-th y of a grid of x by y.
std::vector<Vec3> lines(long x, long y, long step = 1, double scale = 1) {
    std::vector<Vec3> positions;
    for (long ky = -(y / 2); ky < y - y / 2; ky += step) {
        for (long kx = -(x / 2); kx < x - x / 2; ++kx) {
            positions.push_back(
                {scale * static_cast<double>(kx), scale * static_cast<double>(ky), 0});
        }
    }
    return positions;
}

Scan scan_of(const std::vector<Vec3>& positions, std::size_t x, std::size_t y) {
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->positions = positions;
    Scan scan;
    scan.file = "scan.h5";
    scan.format = "lsrecon-scan";
    scan.grid = test::make_grid(x, y);
    scan.grid.fov_mm = {240, 240, 5};
    scan.trajectory_units = "cycles/fov";
    scan.frames = {
        {trajectory, CoilMatrix::Ones(2, static_cast<Eigen::Index>(positions.size())), "", {}}};
    return scan;
}

Fault refusal(const Scan& scan) {
    try {
        require_reach(scan);
    } catch (const InputError& error) {
        return error.fault();
    }
    ADD_FAILURE() << "no InputError";
    return {};
}

TEST(Reach, RadiansLabelledAsCyclesAreRefusedWithTheUnitThatFits) {
    const Fault fault = refusal(scan_of(lines(64, 64, 1, 2 * pi / 64), 64, 64));
    EXPECT_EQ(fault.thing, "/trajectory");
    EXPECT_EQ(test::lacks(fault.found, {"3.14159 x 3.14159 cycles/fov", "from cycles/fov"}), "");
    EXPECT_NE(fault.expected.find("0.0981748 x 0.0981748 in cycles/fov"), std::string::npos)
        << fault.expected;
    EXPECT_NE(fault.expected.find("1 x 1 in rad/voxel"), std::string::npos) << fault.expected;
    EXPECT_NE(fault.next_step.find("`traj_units` rad/voxel"), std::string::npos);
    EXPECT_NE(fault.next_step.find("`low_resolution`"), std::string::npos);
}

// Every pair of units in which a scan would lie within the matrix is distinguished.
TEST(Reach, NoWrongLabelPasses) {
    for (const std::string& truth : trajectory_unit_names()) {
        for (const std::string& label : trajectory_unit_names()) {
            Scan scan = scan_of({}, 128, 128);
            const double wrong =
                to_cycles_per_fov(label, scan.grid)[0] / to_cycles_per_fov(truth, scan.grid)[0];
            if (wrong > 1.05) {
                continue; // beyond the matrix: reported by check()
            }
            scan = scan_of(lines(128, 128, 1, wrong), 128, 128);
            scan.trajectory_units = label;
            if (truth == label) {
                EXPECT_NO_THROW(require_reach(scan)) << truth;
            } else {
                EXPECT_NE(refusal(scan).next_step.find("`traj_units` " + truth), std::string::npos)
                    << truth << " as " << label;
            }
        }
    }
}

TEST(Reach, OneDimensionOrOneFrameIsEnough) {
    EXPECT_NO_THROW(require_reach(scan_of({{16, 0, 0}, {0, 0, 0}}, 64, 64)));
    EXPECT_THROW(require_reach(scan_of({{15.9, 0, 0}, {0, 0, 0}}, 64, 64)), InputError);
    Scan scan = scan_of({{1, 0, 0}, {0, 0, 0}}, 64, 64);
    scan.frames.push_back(scan_of({{0, -17, 0}}, 64, 64).frames[0]);
    EXPECT_NO_THROW(require_reach(scan));
}

TEST(Reach, WhatTheTrajectoryMayBeIsTheNextStep) {
    const Fault of_one = refusal(scan_of(lines(64, 64, 1, 1.0 / 32), 64, 64));
    EXPECT_NE(of_one.expected.find("in +-1 (1 for N/2), which is not read"), std::string::npos)
        << of_one.expected;
    EXPECT_NE(of_one.next_step.find("in cycles/voxel (0.5 times"), std::string::npos);
    Scan scan = scan_of(lines(64, 64, 1, 0.1), 64, 64); // of a tenth of the field of view
    scan.trajectory_units = "1/m";
    scan.grid.fov_mm = {24, 24, 5};
    const Fault of_cm = refusal(scan);
    EXPECT_NE(of_cm.next_step.find("`header` fov_mm=240,240, if"), std::string::npos)
        << of_cm.next_step;
}

TEST(Reach, BeyondTheMatrixTheNextStepIsWhatWouldFit) {
    const auto next_step = [](std::vector<Vec3> positions, const std::string& units) {
        Scan scan = scan_of(positions, 64, 64);
        scan.trajectory_units = units;
        try {
            check(scan);
        } catch (const InputError& error) {
            return error.fault().next_step;
        }
        return std::string("no InputError");
    };
    EXPECT_EQ(next_step(lines(64, 64, 1, 64), "cycles/voxel").find("pass `traj_units` cycles/fov"),
              0U);
    EXPECT_EQ(test::lacks(next_step(lines(64, 64, 1, 2 * pi), "cycles/fov"),
                          {"write", "in cycles/fov (1 / (2 pi) times"}),
              "");
    std::vector<Vec3> shifted = lines(64, 64);
    for (Vec3& k : shifted) {
        k[0] += 12;
    }
    EXPECT_EQ(test::lacks(next_step(shifted, "cycles/fov"), {"write", "0 at the centre"}), "");
    EXPECT_EQ(next_step(lines(64, 64, 1, 1.4), "cycles/fov").find("correct the units"), 0U);
}

TEST(Reach, SamplesAtOnePointAndSmallMatricesSayNothing) {
    EXPECT_NO_THROW(require_reach(scan_of({{0, 0, 0}, {0, 0, 0}}, 64, 64)));
    EXPECT_NO_THROW(require_reach(scan_of({{1, 0.5, 0}}, 64, 64)));
    EXPECT_NO_THROW(require_reach(scan_of({{0.1, 0, 0}, {0, 0, 0}}, 7, 7)));
    EXPECT_NO_THROW(require_reach(scan_of({{0, 20, 0}, {0, 0, 0}}, 1, 64)));
    EXPECT_THROW(require_reach(scan_of({{0, 3, 0}, {0, 0, 0}}, 1, 64)), InputError);
}

TEST(Coverage, IsTheShareOfTheLines) {
    const auto covered = [](std::vector<Vec3> positions, std::size_t x, std::size_t y) {
        Trajectory trajectory;
        trajectory.positions = std::move(positions);
        return coverage(trajectory, test::make_grid(x, y));
    };
    EXPECT_DOUBLE_EQ(covered(lines(64, 64), 64, 64), 1);
    EXPECT_DOUBLE_EQ(covered(lines(9, 13), 9, 13), 1);
    EXPECT_NEAR(covered(lines(64, 64, 2), 64, 64), 0.5, 0.01);
    EXPECT_NEAR(covered(lines(64, 64, 4), 64, 64), 0.25, 0.01);
    EXPECT_DOUBLE_EQ(covered({{0, 0, 0}}, 1, 1), 1);
}

Findings aliasing_of(const Scan& scan) {
    return findings_on_aliasing(scan, scan.grid);
}

TEST(Aliasing, UndersamplingWithoutMapsIsFound) {
    EXPECT_TRUE(aliasing_of(scan_of(lines(64, 64), 64, 64)).empty());
    Scan scan = scan_of(lines(64, 64, 2), 64, 64);
    ASSERT_EQ(aliasing_of(scan).size(), 1u);
    const Finding half = aliasing_of(scan)[0];
    EXPECT_EQ(half.code, Found::undersampled);
    EXPECT_NEAR(half.number("covered"), 0.498, 0.001);
    EXPECT_EQ(half.number("frames"), 1);
    EXPECT_EQ(half.number("maps"), 0);
    scan.coil_maps = CoilMatrix::Ones(2, 64 * 64);
    EXPECT_TRUE(aliasing_of(scan).empty()) << "maps undo it";
    scan = scan_of(lines(64, 64, 5), 64, 64);
    scan.coil_maps = CoilMatrix::Ones(2, 64 * 64);
    ASSERT_EQ(aliasing_of(scan).size(), 1u);
    EXPECT_EQ(aliasing_of(scan)[0].number("maps"), 1);
}

TEST(Aliasing, OfALineIsThatOfAPartOfAnImage) {
    EXPECT_EQ(aliasing_of(scan_of(lines(64, 64, 3), 64, 64))[0].number("part"), 0);
    EXPECT_EQ(aliasing_of(scan_of(lines(64, 1), 64, 64))[0].number("part"), 1);
}

TEST(Aliasing, OfFramesOfFewSamplesNamesTheFlagThatJoinsThem) {
    Scan scan = scan_of(lines(64, 1), 64, 64);
    scan.frames.resize(500, scan.frames[0]);
    scan.joinable_counters = {"repetition"};
    const Finding few = aliasing_of(scan)[0];
    EXPECT_EQ(few.code, Found::undersampled);
    EXPECT_EQ(few.number("sparse"), 500);
    EXPECT_EQ(few.number("samples"), 64);
    EXPECT_EQ(few.number("alike"), 1);
    EXPECT_EQ(few.word("join"), "`join` repetition");
    scan.has_single_readouts = true;
    ASSERT_EQ(aliasing_of(scan).size(), 1u);
    const Finding single = aliasing_of(scan)[0];
    EXPECT_EQ(single.code, Found::single_readouts);
    EXPECT_EQ(single.number("frames"), 500);
    EXPECT_EQ(single.number("spokes"), 13);
    EXPECT_EQ(single.word("join"), "`join` repetition");
    scan.frames.resize(25); // less than two times 13
    EXPECT_EQ(aliasing_of(scan)[0].number("spokes"), 0);
    scan.joinable_counters = {};
    scan.format = "ismrmrd";
    EXPECT_EQ(aliasing_of(scan)[0].code, Found::undersampled);
    EXPECT_EQ(aliasing_of(scan)[0].word("join"), "");
    EXPECT_EQ(aliasing_of(scan)[0].number("can_be_written"), 0);
    scan.format = "lsrecon-scan"; // whose frames nothing joins
    EXPECT_EQ(aliasing_of(scan)[0].number("can_be_written"), 1);
}

TEST(Aliasing, TheSparsestFrameIsFoundWhereverItIs) {
    Scan scan = scan_of(lines(64, 64), 64, 64);
    scan.frames.push_back(scan_of(lines(64, 64, 2), 64, 64).frames[0]);
    scan.frames.push_back(scan_of(lines(64, 64, 4), 64, 64).frames[0]);
    const Finding sparse = aliasing_of(scan)[0];
    EXPECT_EQ(sparse.number("sparse"), 2);
    EXPECT_EQ(sparse.number("frames"), 3);
    EXPECT_EQ(sparse.number("alike"), 0);
    EXPECT_EQ(sparse.number("samples"), 1024);
    EXPECT_NEAR(sparse.number("covered"), 0.246, 0.001);
}

TEST(Findings, LengthsInOtherUnitsAreFound) {
    Scan scan = scan_of(lines(64, 64), 64, 64);
    scan.voxels = std::vector<Vec3>{{0, 0, 0}, {0.4, -9.6, 0}};
    ASSERT_EQ(findings_on(scan).size(), 1u);
    EXPECT_EQ(findings_on(scan)[0].code, Found::voxels_far);
    EXPECT_EQ(findings_on(scan)[0].number("largest"), 9.6);
}

} // namespace
} // namespace lsrecon
