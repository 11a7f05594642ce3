#include "scan/reach.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "scan/check.hpp"
#include "scan/remarks.hpp"
#include "scan/units.hpp"
#include "support/case.hpp"

namespace lsrecon {
namespace {

/// Lines along x at every `step`-th y of a grid of x by y.
std::vector<Vec3> lines(long x, long y, long step = 1, double scale = 1) {
    std::vector<Vec3> trajectory;
    for (long ky = -(y / 2); ky < y - y / 2; ky += step) {
        for (long kx = -(x / 2); kx < x - x / 2; ++kx) {
            trajectory.push_back(
                {scale * static_cast<double>(kx), scale * static_cast<double>(ky), 0});
        }
    }
    return trajectory;
}

Scan scan_of(const std::vector<Vec3>& trajectory, std::size_t x, std::size_t y) {
    auto sampling = std::make_shared<Sampling>();
    sampling->trajectory = trajectory;
    Scan scan;
    scan.file = "scan.h5";
    scan.format = "lsrecon-scan";
    scan.grid = test::make_grid(x, y);
    scan.grid.fov_mm = {240, 240, 5};
    scan.trajectory_units = "cycles/fov";
    scan.frames = {
        {sampling, CoilMatrix::Ones(2, static_cast<Eigen::Index>(trajectory.size())), "", {}}};
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
    EXPECT_EQ(fault.found, "largest |k|: 3.14159 x 3.14159 cycles/fov from cycles/fov");
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
    const auto next_step = [](std::vector<Vec3> trajectory, const std::string& units) {
        Scan scan = scan_of(trajectory, 64, 64);
        scan.trajectory_units = units;
        try {
            check(scan);
        } catch (const InputError& error) {
            return error.fault().next_step;
        }
        return std::string("no InputError");
    };
    EXPECT_EQ(next_step(lines(64, 64, 1, 64), "cycles/voxel")
                  .find("pass `traj_units` cycles/fov, in which the matrix is filled"),
              0U);
    EXPECT_EQ(next_step(lines(64, 64, 1, 2 * pi), "cycles/fov")
                  .find("write the trajectory in cycles/fov (1 / (2 pi) times"),
              0U);
    std::vector<Vec3> shifted = lines(64, 64);
    for (Vec3& k : shifted) {
        k[0] += 12;
    }
    EXPECT_EQ(next_step(shifted, "cycles/fov")
                  .find("write the trajectory with 0 at the centre of k-space"),
              0U);
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
    const auto covered = [](std::vector<Vec3> trajectory, std::size_t x, std::size_t y) {
        Sampling sampling;
        sampling.trajectory = std::move(trajectory);
        return coverage(sampling, test::make_grid(x, y));
    };
    EXPECT_DOUBLE_EQ(covered(lines(64, 64), 64, 64), 1);
    EXPECT_DOUBLE_EQ(covered(lines(9, 13), 9, 13), 1);
    EXPECT_NEAR(covered(lines(64, 64, 2), 64, 64), 0.5, 0.01);
    EXPECT_NEAR(covered(lines(64, 64, 4), 64, 64), 0.25, 0.01);
    EXPECT_DOUBLE_EQ(covered({{0, 0, 0}}, 1, 1), 1);
}

std::vector<std::string> aliasing_of(const Scan& scan, bool solves = true) {
    GeometryOptions options;
    options.solves = solves;
    return remarks_on_aliasing(scan, scan.grid, options);
}

TEST(Remarks, UndersamplingWithoutMapsIsNoted) {
    EXPECT_TRUE(aliasing_of(scan_of(lines(64, 64), 64, 64)).empty());
    Scan scan = scan_of(lines(64, 64, 2), 64, 64);
    ASSERT_EQ(aliasing_of(scan).size(), 1u);
    EXPECT_EQ(aliasing_of(scan)[0],
              "Undersampled: the samples cover 49.8 % of k-space. Expect aliasing unless coil maps "
              "undo it. Try `reg` auto.");
    EXPECT_NE(aliasing_of(scan, false)[0].find("Try `method` least_squares."), std::string::npos)
        << "other methods refuse regularisers";
    scan.coil_maps = CoilMatrix::Ones(2, 64 * 64);
    EXPECT_TRUE(aliasing_of(scan).empty()) << "maps undo it";
    scan = scan_of(lines(64, 64, 5), 64, 64);
    scan.coil_maps = CoilMatrix::Ones(2, 64 * 64);
    ASSERT_EQ(aliasing_of(scan).size(), 1u);
    EXPECT_NE(aliasing_of(scan)[0].find("% of k-space. Expect aliasing and noise. Try `reg` auto."),
              std::string::npos)
        << aliasing_of(scan)[0];
}

TEST(Remarks, AliasingThatARegulariserTakesOutIsNotNoted) {
    const Scan few = scan_of(lines(64, 64, 3), 64, 64);
    const Scan parts = scan_of(lines(64, 1), 64, 64);
    const auto noted = [](const Scan& scan, bool regularised) {
        GeometryOptions options;
        options.regularised = regularised;
        return !remarks_on_aliasing(scan, scan.grid, options).empty();
    };
    EXPECT_TRUE(noted(few, false));
    EXPECT_FALSE(noted(few, true));
    EXPECT_TRUE(noted(parts, true)) << "no regulariser makes an image of a line";
}

TEST(Remarks, FramesOfFewSamplesAreNotedWithTheFlagThatJoinsThem) {
    Scan scan = scan_of(lines(64, 1), 64, 64);
    scan.frames.resize(500, scan.frames[0]);
    scan.joinable_counters = {"repetition"};
    EXPECT_EQ(
        aliasing_of(scan)[0],
        "500 of 500 frames are undersampled: each has 64 samples a coil, which cover 2 % of "
        "k-space. Expect aliasing unless coil maps undo it. If the frames belong to one image, "
        "pass `join` repetition.");
    scan.has_single_readouts = true;
    EXPECT_EQ(aliasing_of(scan),
              std::vector<std::string>{
                  "Each of the 500 frames has one readout, which fills 2 % of k-space. `join` "
                  "repetition makes one image of all readouts. `join` repetition "
                  "`spokes_per_frame` 13 makes an image of every 13 readouts."});
    scan.frames.resize(25); // less than two times 13
    EXPECT_EQ(aliasing_of(scan)[0].find("`spokes_per_frame`"), std::string::npos);
    scan.joinable_counters = {};
    EXPECT_EQ(aliasing_of(scan)[0].find("`join`"), std::string::npos);
    EXPECT_EQ(aliasing_of(scan)[0].find("`reg`"), std::string::npos);
    scan.format = "lsrecon-scan"; // whose frames nothing joins
    EXPECT_NE(aliasing_of(scan)[0].find("If the frames belong to one image, write their samples as "
                                        "one frame."),
              std::string::npos);
    scan = scan_of(lines(64, 8, 1), 64, 64); // enough for a regulariser
    scan.frames.resize(5, scan.frames[0]);
    EXPECT_NE(aliasing_of(scan)[0].find("Try `reg` auto."), std::string::npos);
}

TEST(Remarks, TheSparsestFrameIsNotedWhereverItIs) {
    Scan scan = scan_of(lines(64, 64), 64, 64);
    scan.frames.push_back(scan_of(lines(64, 64, 2), 64, 64).frames[0]);
    scan.frames.push_back(scan_of(lines(64, 64, 4), 64, 64).frames[0]);
    EXPECT_EQ(aliasing_of(scan)[0].find("2 of 3 frames are undersampled: the sparsest has 1024 "
                                        "samples a coil, which cover 24.6 % of k-space"),
              0U)
        << aliasing_of(scan)[0];
}

TEST(Remarks, LengthsInOtherUnitsAreNoted) {
    Scan scan = scan_of(lines(64, 64), 64, 64);
    scan.voxels = std::vector<Vec3>{{0, 0, 0}, {0.4, -9.6, 0}};
    ASSERT_EQ(remarks_on(scan).size(), 1u);
    EXPECT_NE(remarks_on(scan)[0].find("up to 9.6 fields of view"), std::string::npos);
}

} // namespace
} // namespace lsrecon
