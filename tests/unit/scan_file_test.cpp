#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/formats.hpp"
#include "io/native/scan.hpp"
#include "support/case.hpp"
#include "support/surroundings.hpp"

namespace lsrecon {
namespace {

/// Values that single precision holds, so that they come back unchanged.
CoilMatrix whole_numbers(std::size_t rows, std::size_t columns) {
    CoilMatrix values(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    for (Eigen::Index n = 0; n < values.size(); ++n) {
        values.data()[n] = Complex(static_cast<double>(n) + 1, -0.5 * static_cast<double>(n));
    }
    return values;
}

Scan full_scan() {
    Scan scan;
    scan.grid = test::make_grid(3, 2);
    scan.grid.position = Vec3{1, -2, 3.5};
    scan.grid.directions = std::array<Vec3, 3>{Vec3{0, 1, 0}, {1, 0, 0}, {0, 0, -1}};
    Trajectory trajectory;
    trajectory.positions = {{0, 0, 0}, {1.5, -1, 0}, {0.1, 0.7, 0}, {-1.4, 0.3, 0}};
    trajectory.phi = whole_numbers(1, 4).row(0).transpose();
    trajectory.weights = RealVector::LinSpaced(4, 0.1, 0.7);
    const auto shared = std::make_shared<const Trajectory>(trajectory);
    scan.frames = {{shared, whole_numbers(2, 4), "", {}}, {shared, -whole_numbers(2, 4), "", {}}};
    scan.coil_maps = whole_numbers(2, 6);
    return scan;
}

Scan round_trip(const Scan& scan) {
    const test::TemporaryFolder folder;
    write_native_scan(folder.file("scan.h5"), scan);
    EXPECT_EQ(folder.entries(), 1U) << "a temporary file was left behind";
    return read_scan(folder.file("scan.h5"));
}

void expect_same_trajectory(const Trajectory& a, const Trajectory& b) {
    EXPECT_EQ(a.positions, b.positions);
    EXPECT_EQ(a.phi, b.phi);
    EXPECT_EQ(a.weights, b.weights);
}

TEST(ScanFile, EverythingComesBack) {
    const Scan scan = full_scan();
    const Scan read = round_trip(scan);
    EXPECT_EQ(read.format, "lsrecon-scan");
    EXPECT_TRUE(read.grid.same_lattice(scan.grid));
    EXPECT_EQ(read.grid.fov_mm[0], scan.grid.fov_mm[0]);
    EXPECT_EQ(read.grid.fov_mm[1], scan.grid.fov_mm[1]);
    EXPECT_EQ(read.grid.position, scan.grid.position);
    EXPECT_EQ(read.grid.directions, scan.grid.directions);
    ASSERT_EQ(read.frames.size(), 2U);
    EXPECT_EQ(read.frames[0].trajectory, read.frames[1].trajectory) << "one trajectory, one Q";
    expect_same_trajectory(*read.frames[0].trajectory, *scan.frames[0].trajectory);
    EXPECT_EQ(read.frames[0].samples, scan.frames[0].samples);
    EXPECT_EQ(read.frames[1].samples, scan.frames[1].samples);
    EXPECT_EQ(read.coil_maps, scan.coil_maps);
    EXPECT_FALSE(read.voxels.has_value());
}

TEST(ScanFile, FramesOfTheirOwnTrajectoryComeBack) {
    Scan scan = full_scan();
    Trajectory other = *scan.frames[0].trajectory;
    other.positions[2] = {0.25, -0.5, 0};
    scan.frames[1].trajectory = std::make_shared<const Trajectory>(other);
    const Scan read = round_trip(scan);
    ASSERT_EQ(read.frames.size(), 2U);
    expect_same_trajectory(*read.frames[0].trajectory, *scan.frames[0].trajectory);
    expect_same_trajectory(*read.frames[1].trajectory, other);
}

TEST(ScanFile, ThreeDimensionsAndListedVoxelsComeBack) {
    Scan scan;
    scan.grid = test::make_grid(2, 3, 4);
    scan.voxels = std::vector<Vec3>{{0.5, 0.25, -3}, {7, 0, 0.125}};
    Trajectory trajectory;
    trajectory.positions = {{0.5, -1.5, 2}};
    scan.frames = {{std::make_shared<const Trajectory>(trajectory), whole_numbers(1, 1), "", {}}};
    const Scan read = round_trip(scan);
    EXPECT_TRUE(read.grid.same_lattice(scan.grid));
    EXPECT_EQ(read.grid.fov_mm, scan.grid.fov_mm);
    EXPECT_EQ(read.voxels, scan.voxels);
    EXPECT_EQ(read.frames[0].trajectory->positions, trajectory.positions);
    EXPECT_EQ(read.frames[0].trajectory->phi.size(), 0);
    EXPECT_EQ(read.frames[0].trajectory->weights.size(), 0);
}

TEST(ScanFile, UnitsOfTheUserOverruleTheFile) {
    const test::TemporaryFolder folder;
    Scan scan = full_scan();
    Trajectory in_voxels = *scan.frames[0].trajectory;
    in_voxels.positions = {{0.5, 0, 0}, {0, -0.5, 0}, {0.25, 0, 0}, {0, 0, 0}};
    for (Frame& frame : scan.frames) {
        frame.trajectory = std::make_shared<const Trajectory>(in_voxels);
    }
    scan.frames.pop_back();
    write_native_scan(folder.file("scan.h5"), scan);
    const Scan read = read_scan(folder.file("scan.h5"), {"cycles/voxel"});
    EXPECT_EQ(read.frames[0].trajectory->positions,
              (std::vector<Vec3>{{1.5, 0, 0}, {0, -1, 0}, {0.75, 0, 0}, {0, 0, 0}}));
}

} // namespace
} // namespace lsrecon
