#include "scan/reach.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
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

Finding refusal(const Scan& scan) {
    try {
        require_reach(scan);
    } catch (const InputError& error) {
        return error.finding();
    }
    ADD_FAILURE() << "no InputError";
    return {};
}

TEST(Reach, RadiansLabelledAsCyclesAreRefusedWithTheUnitThatFits) {
    const Finding finding = refusal(scan_of(lines(64, 64, 1, 2 * pi / 64), 64, 64));
    EXPECT_EQ(finding.thing, "/trajectory");
    EXPECT_EQ(finding.found, "largest |k|: 3.14159 x 3.14159 cycles/fov from cycles/fov");
    EXPECT_NE(finding.expected.find("0.0981748 x 0.0981748 in cycles/fov"), std::string::npos)
        << finding.expected;
    EXPECT_NE(finding.expected.find("1 x 1 in rad/voxel"), std::string::npos) << finding.expected;
    EXPECT_NE(finding.next_step.find("`traj_units` rad/voxel"), std::string::npos);
    EXPECT_NE(finding.next_step.find("`low_resolution`"), std::string::npos);
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

TEST(Remarks, UndersamplingWithoutMapsIsNoted) {
    EXPECT_TRUE(remarks_on_aliasing(scan_of(lines(64, 64), 64, 64)).empty());
    Scan scan = scan_of(lines(64, 64, 2), 64, 64);
    ASSERT_EQ(remarks_on_aliasing(scan).size(), 1u);
    EXPECT_EQ(remarks_on_aliasing(scan)[0],
              "Undersampled: the samples cover 49.8 % of k-space. Expect aliasing unless coil maps "
              "undo it. Try `reg` tv:0.02.");
    scan.coil_maps = CoilMatrix::Ones(2, 64 * 64);
    EXPECT_TRUE(remarks_on_aliasing(scan).empty()) << "maps undo it";
    scan = scan_of(lines(64, 64, 5), 64, 64);
    scan.coil_maps = CoilMatrix::Ones(2, 64 * 64);
    ASSERT_EQ(remarks_on_aliasing(scan).size(), 1u);
    EXPECT_NE(remarks_on_aliasing(scan)[0].find(
                  "% of k-space. Expect aliasing and noise. Try `reg` tv:0.02."),
              std::string::npos)
        << remarks_on_aliasing(scan)[0];
}

TEST(Remarks, FramesOfFewSamplesAreNotedWithTheFlagThatJoinsThem) {
    Scan scan = scan_of(lines(64, 1), 64, 64);
    scan.frames.resize(500, scan.frames[0]);
    scan.joinable_counters = {"repetition"};
    EXPECT_EQ(remarks_on_aliasing(scan)[0],
              "500 of 500 frames are undersampled: each has 64 samples a coil, which cover 2 % of "
              "k-space. Expect aliasing unless coil maps undo it. Try `reg` tv:0.02. If the frames "
              "belong to one image, pass `join` repetition.");
    scan.has_single_readouts = true;
    EXPECT_EQ(remarks_on_aliasing(scan),
              std::vector<std::string>{
                  "Each of the 500 frames has one readout, which fills 2 % of k-space. `join` "
                  "repetition makes one image of all readouts. `join` repetition "
                  "`spokes_per_frame` 13 makes an image of every 13 readouts."});
    scan.frames.resize(25); // less than two times 13
    EXPECT_EQ(remarks_on_aliasing(scan)[0].find("`spokes_per_frame`"), std::string::npos);
    scan.joinable_counters = {};
    EXPECT_EQ(remarks_on_aliasing(scan)[0].find("`join`"), std::string::npos);
}

TEST(Remarks, TheSparsestFrameIsNotedWhereverItIs) {
    Scan scan = scan_of(lines(64, 64), 64, 64);
    scan.frames.push_back(scan_of(lines(64, 64, 2), 64, 64).frames[0]);
    scan.frames.push_back(scan_of(lines(64, 64, 4), 64, 64).frames[0]);
    EXPECT_EQ(
        remarks_on_aliasing(scan)[0].find("2 of 3 frames are undersampled: the sparsest has 1024 "
                                          "samples a coil, which cover 24.6 % of k-space"),
        0U)
        << remarks_on_aliasing(scan)[0];
}

TEST(Remarks, LengthsInOtherUnitsAreNoted) {
    Scan scan = scan_of(lines(64, 64), 64, 64);
    scan.voxels = std::vector<Vec3>{{0, 0, 0}, {0.4, -9.6, 0}};
    ASSERT_EQ(remarks_on(scan).size(), 1u);
    EXPECT_NE(remarks_on(scan)[0].find("up to 9.6 fields of view"), std::string::npos);
}

} // namespace
} // namespace lsrecon
