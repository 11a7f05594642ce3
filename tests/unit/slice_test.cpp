#include "scan/slice.hpp"

#include <gtest/gtest.h>

#include "support/case.hpp"

namespace lsrecon {
namespace {

using Indices = std::vector<std::size_t>;

Indices slice_of_each(const Scan& scan) {
    return slice_of_frames(slices_of(scan));
}

Frame frame(const std::string& label, std::optional<Vec3> position = {}) {
    return {nullptr, {}, label, position};
}

TEST(SlicesOfScan, AreSlices) {
    EXPECT_EQ(slice_in("slice 3, repetition 1"), "slice 3");
    EXPECT_EQ(slice_in("slice 12"), "slice 12");
    EXPECT_EQ(slice_in("repetition 1, slice 3"), "") << "the counter of slices comes first";
    EXPECT_EQ(slice_in("frame 3"), "");
    Scan scan;
    for (const char* label : {"slice 2, repetition 0", "slice 0, repetition 0",
                              "slice 2, repetition 1", "slice 20, repetition 0"}) {
        scan.frames.push_back(frame(label));
    }
    EXPECT_EQ(slice_of_each(scan), (Indices{0, 1, 0, 2}));
}

TEST(SlicesOfScan, HoldFramesOfOneTrajectoryTogether) {
    const std::array<std::shared_ptr<const Trajectory>, 2> trajectories{
        std::make_shared<const Trajectory>(), std::make_shared<const Trajectory>()};
    Scan scan;
    for (std::size_t f = 0; f < 6; ++f) { // slices 0 0 1 0 0 1, trajectories 0 1 0 1 0 1
        scan.frames.push_back(frame(f % 3 == 2 ? "slice 7, phase 0" : "slice 3, phase 0"));
        scan.frames.back().trajectory = trajectories[f % 2];
    }
    const std::vector<Slice> all = slices_of(scan);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].frames(), (Indices{0, 4, 1, 3}));
    EXPECT_EQ(all[0].trajectories.size(), 2U);
    EXPECT_EQ(all[1].frames(), (Indices{2, 5}));
}

TEST(SlicesOfScan, ArePositionsThatDifferByMoreThanMapsDo) {
    Scan scan;
    for (const double z : {0.0, 1.5, 30.0, -1.9, 31.0, 2.1}) {
        scan.frames.push_back(frame("", Vec3{5, 6, z}));
    }
    EXPECT_EQ(slice_of_each(scan), (Indices{0, 0, 1, 0, 1, 2}));
    scan.frames.assign(3, frame("frame"));
    EXPECT_EQ(slice_of_each(scan), (Indices{0, 0, 0}));
}

} // namespace
} // namespace lsrecon
