#include "io/native/scan.hpp"

#include <cstdio>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/formats.hpp"
#include "support/case.hpp"
#include "support/simulated.hpp"

namespace lsrecon {
namespace {

using test::make_grid;

TEST(NativeWriter, ScanComesBack) {
    SimulationOptions options = options_of("cones", make_grid(4, 6, 5));
    options.coils = 2;
    options.snr = 10;
    options.noise_samples = 7;
    Scan scan = simulated(options).scan;
    scan.grid.position = Vec3{1, -2, 3};
    scan.grid.directions = {Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -1}};
    const std::string path = testing::TempDir() + "native_writer_scan.h5";
    write_native_scan(path, scan);
    const Scan read = read_scan(path, {"", true, {}});
    EXPECT_EQ(read.grid.size, scan.grid.size);
    EXPECT_EQ(read.grid.fov_mm, scan.grid.fov_mm);
    EXPECT_EQ(read.grid.position, scan.grid.position);
    EXPECT_EQ(read.grid.directions, scan.grid.directions);
    EXPECT_EQ(read.frames.at(0).trajectory->positions, scan.frames[0].trajectory->positions);
    // Stored in single precision: half a unit in its last place.
    const double largest = scan.frames[0].samples.doubles().cwiseAbs().maxCoeff();
    EXPECT_LT((read.frames[0].samples.to_doubles() - scan.frames[0].samples.doubles())
                  .cwiseAbs()
                  .maxCoeff(),
              largest * 1.2e-7);
    EXPECT_EQ(read.coil_maps, scan.coil_maps);
    EXPECT_LT((read.noise.to_doubles() - scan.noise.doubles()).cwiseAbs().maxCoeff(),
              scan.noise.largest_part() * 1.2e-7);
    std::remove(path.c_str());
}

TEST(NativeWriter, FramesShareATrajectoryOrHaveTheirOwn) {
    Scan scan = simulated(options_of("radial", make_grid(4, 4))).scan;
    scan.frames.push_back(scan.frames.front());
    scan.frames.back().samples.doubles() *= 2;
    const std::string path = testing::TempDir() + "native_writer_frames.h5";
    write_native_scan(path, scan);
    EXPECT_EQ(Hdf5Reader(path).shape("trajectory").extents, (std::vector<std::size_t>{28, 2}));
    EXPECT_EQ(Hdf5Reader(path).shape("samples").extents, (std::vector<std::size_t>{2, 1, 28}));

    auto turned = std::make_shared<Trajectory>(*scan.frames.front().trajectory);
    for (Vec3& k : turned->positions) {
        k = {-k[1], k[0], 0};
    }
    scan.frames.back().trajectory = turned;
    write_native_scan(path, scan);
    const Scan read = read_scan(path, {"", true, {}});
    ASSERT_EQ(read.frames.size(), 2u);
    EXPECT_EQ(read.frames[1].trajectory->positions, turned->positions);
    EXPECT_EQ(read.frames[0].trajectory->positions, scan.frames[0].trajectory->positions);
    std::remove(path.c_str());
}

} // namespace
} // namespace lsrecon
